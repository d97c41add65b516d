/**
 * Appends lines to files that other processes and git may replace at any time, and keeps the merge
 * rules of `.gemm` up to date.
 */
import { constants, type BigIntStats } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { ATTRIBUTES_FILE, attributesText, MAX_ATTRIBUTES_BYTES } from '../core/text/gitAttributes';
import { noFollow, replaceFile } from './files';
import { codeOf } from './text';
import { readRegular } from './userFile';

/**
 * Maximum number of attempts, because git or another process may replace the file during the
 * append.
 */
const MAX_ATTEMPTS = 20;

/** Appends lines in a single write, flushes them, and creates the file if it does not exist. */
export async function appendText(file: string, lines: readonly string[]): Promise<void> {
  const text = lines.map(line => `${line}\n`).join('');
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const handle = await fs.open(file, flags | noWait, 0o666);
    try {
      if (!(await handle.stat()).isFile()) throw new Error(t('it is not a regular file'));
      // Terminates a line that a crash truncated.
      const separator = (await endsWithNewline(handle)) ? '' : '\n';
      await handle.appendFile(separator + text);
      await handle.sync();
      // If the file was replaced, the lines are appended again.
      if (await isStill(file, handle)) return;
    } finally {
      await handle.close();
    }
  }
  throw new Error(t('other processes replace the file repeatedly; try again'));
}

/** Flag that prevents waiting for the other end of a FIFO; Windows does not support it. */
export const noWait = process.platform === 'win32' ? 0 : constants.O_NONBLOCK;

const statOf = (file: string): Promise<BigIntStats | undefined> =>
  fs.lstat(file, { bigint: true }).catch(() => undefined);

/** Returns whether nothing exists at this path. A link without a target exists. */
export const isMissing = async (file: string): Promise<boolean> =>
  (await statOf(file)) === undefined;

async function isStill(file: string, handle: fs.FileHandle): Promise<boolean> {
  const there = await statOf(file);
  const open = await handle.stat({ bigint: true });
  return there?.ino === open.ino && there.dev === open.dev;
}

const NEWLINE = 0x0a;

async function endsWithNewline(handle: fs.FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === NEWLINE;
}

/**
 * Adds missing merge rules to the attributes file of `.gemm`. A file that is a link or is not
 * readable is left unchanged, because the lines can be appended without it.
 * @param folder the folder `.gemm`, which exists
 */
export async function writeAttributes(folder: string): Promise<void> {
  const file = path.join(folder, ATTRIBUTES_FILE);
  const stat = await statOf(file);
  if (stat?.isFile() === false) return;
  if (stat === undefined) {
    await fs.writeFile(file, attributesText(undefined) ?? '', { flag: 'wx' }).catch(unlessPresent);
    return;
  }
  const old = await readRegular(file, MAX_ATTRIBUTES_BYTES).catch(() => undefined);
  const text = old === undefined ? undefined : attributesText(old.toString('utf8'));
  if (text !== undefined) await replaceFile(file, text);
}

function unlessPresent(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}
