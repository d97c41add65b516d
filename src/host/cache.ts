/** Caches build outputs in the user's cache folder, by the content of their inputs. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { codeOf } from './text';

const MAX_BYTES = 500 * 2 ** 20;
const MAX_AGE_MS = 7 * 24 * 3600 * 1000;

export function defaultCacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const absolute = (value: string | undefined): string | undefined =>
    value !== undefined && path.isAbsolute(value) ? value : undefined;
  const home = os.homedir();
  const base =
    absolute(environment['XDG_CACHE_HOME']) ??
    (process.platform === 'win32'
      ? (absolute(environment['LOCALAPPDATA']) ?? path.join(home, 'AppData', 'Local'))
      : process.platform === 'darwin'
        ? path.join(home, 'Library', 'Caches')
        : path.join(home, '.cache'));
  return path.join(base, 'gemm-explorer', 'build');
}

export function contentKey(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, 32);
}

/**
 * Returns the folder of an entry and marks it as recently used. Returns undefined if the entry does
 * not exist.
 */
export async function cached(folder: string, key: string): Promise<string | undefined> {
  const entry = path.join(folder, key);
  try {
    const now = new Date();
    await fs.utimes(entry, now, now);
    return entry;
  } catch {
    return undefined;
  }
}

/**
 * Copies `files` from the folder `from` to the entry atomically, and returns the path of the entry.
 * If a different process has created the entry in the meantime, its identical files are kept.
 */
export async function store(
  folder: string,
  key: string,
  from: string,
  files: readonly string[],
): Promise<string> {
  const entry = path.join(folder, key);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = await fs.mkdtemp(path.join(folder, '.draft-'));
  try {
    for (const file of files) await copy(path.join(from, file), path.join(draft, file));
    await fs.rename(draft, entry);
  } catch (error) {
    await fs.rm(draft, { recursive: true, force: true });
    if (!['EEXIST', 'ENOTEMPTY', 'EPERM'].includes(codeOf(error))) throw error;
    await fs.access(entry);
  }
  await prune(folder);
  return entry;
}

/**
 * Copies a file and flushes it to disk, so that after a power loss an entry is either complete or
 * missing.
 */
async function copy(from: string, to: string): Promise<void> {
  await fs.copyFile(from, to);
  const handle = await fs.open(to, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function discard(folder: string, key: string): Promise<void> {
  await fs.rm(path.join(folder, key), { recursive: true, force: true });
}

/**
 * Removes entries that were not used for a week, then the least recently used entries until the
 * cache is at most 500 MiB. Never throws.
 */
async function prune(folder: string): Promise<void> {
  const entries = await Promise.all(
    (await fs.readdir(folder).catch(() => [])).map(async name => {
      const entry = path.join(folder, name);
      const stat = await fs.stat(entry).catch(() => undefined);
      return { entry, usedMs: stat?.mtimeMs ?? 0, bytes: await sizeOf(entry) };
    }),
  );
  entries.sort((a, b) => b.usedMs - a.usedMs);
  let bytes = 0;
  for (const { entry, usedMs, bytes: size } of entries) {
    bytes += size;
    const old = Date.now() - usedMs > MAX_AGE_MS;
    if (old || bytes > MAX_BYTES)
      await fs.rm(entry, { recursive: true, force: true }).catch(() => 0);
  }
}

async function sizeOf(entry: string): Promise<number> {
  const names = await fs.readdir(entry).catch(() => []);
  const sizes = names.map(name => fs.stat(path.join(entry, name)).then(stat => stat.size));
  return (await Promise.all(sizes).catch(() => [])).reduce((sum, size) => sum + size, 0);
}
