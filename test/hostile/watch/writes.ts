/**
 * Everything below a folder as it is now: kind, size, time of change and hash of the bytes. Pipes
 * are not opened.
 */
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';

export type Snapshot = ReadonlyMap<string, string>;

export async function snapshot(folder: string, except: readonly string[] = []): Promise<Snapshot> {
  const found = new Map<string, string>();
  const visit = async (at: string): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (except.includes(path)) continue;
      const name = relative(folder, path);
      if (entry.isDirectory()) {
        found.set(name, 'folder');
        await visit(path);
      } else found.set(name, await stateOf(path));
    }
  };
  await visit(folder);
  return found;
}

async function stateOf(path: string): Promise<string> {
  const { size, mtimeMs, ino, mode } = await lstat(path);
  const kind = mode & 0o170000;
  const bytes =
    kind === 0o100000
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : '';
  const target = kind === 0o120000 ? await readlink(path) : '';
  return [kind.toString(8), size, mtimeMs, ino, bytes, target].join(' ');
}

/** Paths that are new, gone or changed. */
export function changes(before: Snapshot, after: Snapshot): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter(path => before.get(path) !== after.get(path)).sort();
}
