/**
 * Reads and writes files that a user names, or that are next to the user's files. Opening never
 * blocks, reading has a size limit, and only regular files are read: a FIFO without a writer would
 * block a thread in open(2), and the process could not exit.
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { t } from '@vscode/l10n';
import { codeOf } from './text';

/** Windows has neither flag. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC } = constants;
const nonBlocking = process.platform === 'win32' ? 0 : constants.O_NONBLOCK | constants.O_NOCTTY;

/** The path does not name a regular file. */
export class NotRegular extends Error {}

/** Opens a regular file for reading; throws for every other kind. */
export async function openRegular(file: string): Promise<fs.FileHandle> {
  // Opening a device may have side effects, and a socket cannot be opened, so both are rejected
  // first.
  requireRegular(await fs.stat(file));
  return await checked(await fs.open(file, O_RDONLY | nonBlocking));
}

/** Reads a regular file of at most `mostBytes`. */
export async function readRegular(file: string, mostBytes: number): Promise<Buffer> {
  const handle = await openRegular(file);
  try {
    const { size } = await handle.stat();
    if (size > mostBytes) throw tooLong(mostBytes);
    return await readUpTo(handle.createReadStream({ autoClose: false }), mostBytes);
  } finally {
    await handle.close();
  }
}

/** Reads a stream to its end; throws after more than `mostBytes`. */
export async function readUpTo(stream: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > mostBytes) throw tooLong(mostBytes);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Writes a text to a file, a terminal, or a FIFO with a reader. */
export async function writeUserFile(file: string, text: string): Promise<void> {
  try {
    const handle = await fs.open(file, O_WRONLY | O_CREAT | O_TRUNC | nonBlocking, 0o666);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (codeOf(error) !== 'ENXIO') throw error;
    throw new Error(t('no process reads this FIFO (named pipe)'));
  }
}

async function checked(handle: fs.FileHandle): Promise<fs.FileHandle> {
  try {
    // The file may have been replaced in the meantime.
    requireRegular(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Throws unless it is a regular file. */
export function requireRegular(stats: Stats): void {
  const kind = kindOf(stats);
  if (kind !== undefined) throw new NotRegular(t('expected a regular file, got a {0}', kind));
}

/** Names the kind of a file; undefined for a regular file. */
function kindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isFIFO()) return t('FIFO (named pipe)');
  if (stats.isDirectory()) return t('directory');
  if (stats.isSocket()) return t('socket');
  return stats.isCharacterDevice() ? t('character device') : t('block device');
}

const tooLong = (mostBytes: number): Error => new Error(t('more than {0} bytes', mostBytes));
