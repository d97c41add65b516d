/**
 * Reads and writes files that a user names. Only regular files are read, because a FIFO without a
 * writer would block a thread in open(2) and prevent the process from exiting.
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { t } from '@vscode/l10n';
import { codeOf } from './text';

const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC } = constants;
/** Flags that prevent blocking and terminal side effects; Windows supports neither flag. */
const nonBlocking = process.platform === 'win32' ? 0 : constants.O_NONBLOCK | constants.O_NOCTTY;

export class NotRegular extends Error {}

/** Opens a regular file for reading. Throws `NotRegular` for other kinds of files. */
export async function openRegular(file: string): Promise<fs.FileHandle> {
  // Devices and sockets are rejected before they are opened, because opening a device may have side
  // effects.
  requireRegular(await fs.stat(file));
  return await checked(await fs.open(file, O_RDONLY | nonBlocking));
}

/** Reads a regular file. Throws if it has more than `mostBytes` bytes. */
export async function readRegular(file: string, mostBytes: number): Promise<Buffer> {
  const handle = await openRegular(file);
  try {
    return await readOpened(handle, mostBytes);
  } finally {
    await handle.close();
  }
}

/** Reads an open file to its end. Throws if it has more than `mostBytes` bytes. */
export async function readOpened(handle: fs.FileHandle, mostBytes: number): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > mostBytes) throw tooLong(mostBytes);
  return await readUpTo(handle.createReadStream({ autoClose: false }), mostBytes);
}

/** Reads a stream to its end. Throws if it has more than `mostBytes` bytes. */
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

/** Writes text to a file, a terminal, or a FIFO that has a reader. */
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
    // The file may have been replaced after the first check.
    requireRegular(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export function requireRegular(stats: Stats): void {
  const kind = kindOf(stats);
  if (kind !== undefined) throw new NotRegular(t('expected a regular file, got a {0}', kind));
}

function kindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isFIFO()) return t('FIFO (named pipe)');
  if (stats.isDirectory()) return t('directory');
  if (stats.isSocket()) return t('socket');
  return stats.isCharacterDevice() ? t('character device') : t('block device');
}

const tooLong = (mostBytes: number): Error => new Error(t('more than {0} bytes', mostBytes));
