/** Installing: what we say while it happens, and whom we ask before. */

import { createInterface } from 'node:readline/promises';

/** True where a person can answer: both ends are a terminal and no CI runs us. */
export const personIsThere = (): boolean =>
  process.stdin.isTTY && process.stdout.isTTY && !isCi(process.env['CI']);

const isCi = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';

/** Progress goes to stderr, so that what a command prints on stdout stays clean. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Asks before `what` is installed; `command` is what a person would run instead. */
export async function confirmInstall(what: string, command: string): Promise<void> {
  if (!personIsThere()) return;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`${what} is missing. Install it now? [Y/n] `);
    if (!/^(y(es)?)?$/i.test(answer.trim()))
      throw new Error(`${what} is needed. Install it with:\n  ${command}`);
  } finally {
    terminal.close();
  }
}
