/** Child processes of the installer: argument arrays, no shell, output kept for error messages. */

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

/** Runs to completion and returns the output; reports the duration. */
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
  // An interrupted install leaves no compiler running; its incomplete folder is never used.
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
