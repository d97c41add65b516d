/** Progress messages and confirmation prompts of installations. */

import { createInterface } from 'node:readline/promises';

/** Returns whether input and output are terminals and CI is unset, empty, 0 or false. */
export const personIsThere = (): boolean =>
  process.stdin.isTTY && process.stdout.isTTY && !isCi(process.env['CI']);

const isCi = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';

/** Writes progress to stderr, so that stdout contains only the results of a command. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Asks for confirmation to install `what` if the session is interactive. If declined, throws an
 * error with `command`.
 */
export async function confirmInstall(what: string, command: string): Promise<void> {
  if (!personIsThere()) return;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`${what} is missing. Install it now? [Y/n] `);
    if (!/^(y(es)?)?$/i.test(answer.trim()))
      throw new Error(`${what} is missing. Fix: install it with:\n  ${command}`);
  } finally {
    terminal.close();
  }
}
