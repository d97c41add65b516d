/**
 * Reads and appends the run history of a workspace, `.gemm/runs/*.jsonl`. Several windows can
 * append without a lock, because each change appends its lines in a single write. Files are never
 * replaced or truncated.
 */
import { constants, type BigIntStats } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { isFileName, noFileName } from '../core/kernel/file/fileName';
import { MERGE_FILE, RUNS_PATH } from '../core/measure/history';
import type { ListedFile } from '../core/measure/historyFile';
import {
  MAX_RUNS_FILES,
  tooManyFiles,
  type ListedFolder,
  type UnreadFile,
} from '../core/measure/historyReader';
import { contains } from './executables';
import { explainWrite, makeFolder, noFollow } from './files';
import { codeOf } from './text';

export type AppendResult = { readonly written: string } | { readonly failed: string };

/**
 * Appends lines to a file of the history. If the folder does not exist, creates it and a git merge
 * rule for its files.
 */
export async function appendLines(
  root: string,
  name: string,
  lines: readonly string[],
): Promise<AppendResult> {
  const folder = path.resolve(root, ...RUNS_PATH);
  const file = path.join(folder, name);
  if (!isFileName(name)) return { failed: noFileName(name) };
  try {
    const isFirst = (await statOf(folder)) === undefined;
    const outside = await makeFolder(root, folder);
    if (outside !== undefined) return { failed: outside };
    if (isFirst) await writeMergeFile(path.dirname(folder));
    await appendText(file, lines.map(line => `${line}\n`).join(''));
    return { written: file };
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
}

async function writeMergeFile(folder: string): Promise<void> {
  const file = path.join(folder, MERGE_FILE.name);
  await fs.writeFile(file, MERGE_FILE.text, { flag: 'wx' }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

/**
 * Maximum number of attempts, because git or another process may replace the file during the
 * append.
 */
const MAX_ATTEMPTS = 20;

async function appendText(file: string, text: string): Promise<void> {
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

/** Flag that prevents waiting for the other end of a FIFO; Windows does not support it. */
const noWait = process.platform === 'win32' ? 0 : constants.O_NONBLOCK;

const statOf = (file: string): Promise<BigIntStats | undefined> =>
  fs.lstat(file, { bigint: true }).catch(() => undefined);

/**
 * Lists the history files of a workspace, sorted by name. A file outside the workspace is listed in
 * `unread`.
 */
export async function listRuns(root: string): Promise<ListedFolder> {
  const folder = path.join(root, ...RUNS_PATH);
  const realRoot = await fs.realpath(root).catch(() => root);
  const real = await fs.realpath(folder).catch(() => undefined);
  if (real === undefined) return { files: [], unread: [] };
  if (!contains(realRoot, real)) return { files: [], unread: [{ name: '', why: leadsOut() }] };
  const { names, more } = await namesIn(folder);
  const files: ListedFile[] = [];
  const unread: UnreadFile[] = more ? [{ name: '', why: tooManyFiles() }] : [];
  for (const name of names) {
    const listed = await list(realRoot, path.join(real, name), name);
    if ('why' in listed) unread.push(listed);
    else files.push(listed);
  }
  return { files, unread };
}

async function namesIn(folder: string): Promise<{ names: readonly string[]; more: boolean }> {
  const names: string[] = [];
  const entries = await fs.opendir(folder).catch(() => undefined);
  if (entries === undefined) return { names, more: false };
  for await (const { name } of entries) {
    if (!name.endsWith('.jsonl')) continue;
    if (names.length === MAX_RUNS_FILES) return { names: names.sort(), more: true };
    names.push(name);
  }
  return { names: names.sort(), more: false };
}

async function list(root: string, file: string, name: string): Promise<ListedFile | UnreadFile> {
  try {
    const real = await fs.realpath(file);
    if (!contains(root, real)) return { name, why: leadsOut() };
    const stat = await fs.lstat(real, { bigint: true });
    if (!stat.isFile()) return { name, why: notRegular() };
    return {
      name,
      bytes: Number(stat.size),
      changedMs: Number(stat.mtimeMs),
      stamp: [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' '),
      chunks: () => chunksOf(real, Number(stat.size)),
    };
  } catch (error) {
    return { name, why: t('not read: {0}', codeOf(error)) };
  }
}

const leadsOut = (): string =>
  t('not read: it is a symbolic link that leads outside the workspace. Fix: remove the link.');

const notRegular = (): string => t('not read: it is not a regular file. Fix: remove it.');

const CHUNK_BYTES = 2 ** 18;

/**
 * Yields the contents of a file in chunks, up to its listed size. The last chunk may include data
 * that was appended later.
 */
async function* chunksOf(file: string, bytes: number): AsyncGenerator<string> {
  const handle = await fs.open(file, constants.O_RDONLY | noFollow | noWait);
  try {
    if (!(await handle.stat()).isFile()) throw new Error(notRegular());
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(CHUNK_BYTES);
    for (let at = 0; at < Math.max(bytes, 1);) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      yield decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
    }
    yield decoder.decode();
  } finally {
    await handle.close();
  }
}
