/** Child processes of the installer: argument arrays, no shell, output kept for the error. */

import { spawn } from 'node:child_process';
import { progress } from './ask';

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export class CommandFailed extends Error {
  constructor(
    readonly command: string,
    readonly reason: string,
    readonly output: string,
  ) {
    const lastLines = output.trim().split('\n').slice(-12).join('\n');
    super(`\`${command}\` failed (${reason}).\n${lastLines}`);
    this.name = 'CommandFailed';
  }
}

/** Runs to the end and returns what was printed; says how long it took. */
export async function run(
  label: string,
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const started = performance.now();
  progress(`  ${label} ...`);
  const output = await spawned(command, args, options);
  progress(`  ${label}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return output;
}

function spawned(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    // An interrupted start leaves no compiler behind; the half-filled folder is never used.
    const stop = (): void => void child.kill();
    process.once('exit', stop);
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const fail = (reason: string): void => {
      reject(new CommandFailed([command, ...args].join(' '), reason, output));
    };
    child.on('error', error => {
      process.removeListener('exit', stop);
      fail(error.message);
    });
    child.on('close', (code, signal) => {
      process.removeListener('exit', stop);
      if (code === 0) resolve(output);
      else fail(signal ?? `exit code ${String(code)}`);
    });
  });
}
