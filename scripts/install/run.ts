/**
 * Runs child processes of the installer with argument arrays and without a shell, and keeps their
 * output for error messages.
 */

import { onInterrupt, startGroup, stopGroup, type GroupOptions } from '../host/processes';
import { progress } from './ask';

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

/**
 * Runs a command to completion, reports its duration and returns its output. Throws `CommandFailed`
 * if the command fails.
 */
export async function run(
  label: string,
  command: string,
  args: readonly string[],
  options: GroupOptions = {},
): Promise<string> {
  const started = performance.now();
  progress(`  ${label} ...`);
  const output = await spawned(command, args, options);
  progress(`  ${label}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return output;
}

async function spawned(
  command: string,
  args: readonly string[],
  options: GroupOptions,
): Promise<string> {
  let output = '';
  const child = startGroup(command, args, options, text => {
    output += text;
  });
  // Stop child processes on an interrupt, so that no compiler keeps running.
  const release = onInterrupt(() => stopGroup(child));
  try {
    const reason = await new Promise<string | undefined>(resolve => {
      child.once('error', error => {
        resolve(error.message);
      });
      child.once('close', (code, signal) => {
        resolve(code === 0 ? undefined : (signal ?? `exit code ${String(code)}`));
      });
    });
    if (reason !== undefined) throw new CommandFailed([command, ...args].join(' '), reason, output);
    return output;
  } finally {
    release();
    await stopGroup(child);
  }
}
