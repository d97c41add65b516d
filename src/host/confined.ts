/**
 * Reads files inside a root folder. The path is given by another program, so it is not trusted: the
 * opened file, and not only its path, must be inside the root after links are resolved.
 */
import type { FileHandle } from 'node:fs/promises';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { contains } from './executables';
import { messageOf } from './text';
import { openRegular, readOpened } from './userFile';

/** A path that cannot be read. The message contains the reason and the remedy. */
export class Outside extends Error {}

export interface Confined {
  readonly bytes: Buffer;
  /** Real path of the file, inside the real root. */
  readonly file: string;
}

const MAX_PATH = 4096;

/** Returns the real path of a folder. Throws `Outside` if it is not a folder. */
export async function rootFolder(root: string): Promise<string> {
  const real = await fs.realpath(path.resolve(root)).catch((error: unknown) => {
    throw new Outside(`'${root}' cannot be opened: ${messageOf(error)}. Fix: correct the path.`);
  });
  if ((await fs.stat(real)).isDirectory()) return real;
  throw new Outside(`'${root}' is not a folder. Fix: pass a folder.`);
}

/**
 * Returns the real path of a file or folder inside `root`. Throws `Outside` if it is outside, has a
 * form that other systems resolve differently, or does not exist.
 */
export async function pathInside(root: string, given: string): Promise<string> {
  const real = await fs.realpath(lexical(root, given)).catch((error: unknown) => {
    const why = `'${given}' cannot be opened: ${messageOf(error)}. Fix: correct the path.`;
    throw new Outside(why, { cause: error });
  });
  if (contains(await fs.realpath(root), real)) return real;
  throw outside(root, given);
}

/** Reads a regular file inside `root`. Throws `Outside`, or an error if it is too long. */
export async function readInside(
  root: string,
  given: string,
  mostBytes: number,
): Promise<Confined> {
  const file = await pathInside(root, given);
  const handle = await openRegular(file);
  try {
    // A folder of the path may have been replaced by a link since the first check.
    if (!(await isAt(handle, file)) || (await pathInside(root, given)) !== file) {
      throw outside(root, given);
    }
    const bytes = await readOpened(handle, mostBytes);
    return { bytes, file };
  } finally {
    await handle.close();
  }
}

/** Returns whether an open file is the file at a path. Linux names the path of an open file. */
async function isAt(handle: FileHandle, file: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const named = await fs.readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (named !== undefined) return named === file;
  }
  const [open, found] = await Promise.all([
    handle.stat({ bigint: true }),
    fs.lstat(file, { bigint: true }),
  ]);
  return open.ino === found.ino && open.dev === found.dev;
}

/**
 * Returns the absolute path. Throws for a path that contains NUL, is too long, or starts with a
 * network or device prefix, which Windows opens before any check.
 */
export function lexical(root: string, given: string): string {
  const why = refusal(given);
  if (why !== undefined) throw new Outside(`${why} Fix: use a path relative to the root folder.`);
  const absolute = path.resolve(root, given);
  if (contains(path.resolve(root), absolute)) return absolute;
  throw outside(root, given);
}

function refusal(given: string): string | undefined {
  if (given.includes('\0')) return 'A path must not contain NUL.';
  if (given === '' || given.length > MAX_PATH)
    return `Expected a path with 1 to ${MAX_PATH} characters, got ${given.length}.`;
  if (/^(?:[\\/]{2}|[a-z][a-z0-9+.-]+:)/i.test(given))
    return `'${given.slice(0, 100)}' is a network path, a device or a URL.`;
  return undefined;
}

const outside = (root: string, given: string): Outside =>
  new Outside(`'${given}' is outside the root folder '${root}'. Fix: use a path inside it.`);
