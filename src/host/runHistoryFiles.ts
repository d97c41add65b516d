/**
 * Reads and appends the run history of a workspace, `.gemm/runs/*.jsonl`. Several windows can
 * append without a lock, because each change appends its lines in a single write. Files are never
 * replaced or truncated.
 */
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { isFileName, noFileName } from '../core/kernel/file/fileName';
import { RUNS_PATH } from '../core/measure/history';
import type { ListedFile } from '../core/measure/historyFile';
import {
  MAX_RUNS_FILES,
  tooManyFiles,
  type ListedFolder,
  type UnreadFile,
} from '../core/measure/historyReader';
import { appendText, isMissing, noWait, writeAttributes } from './appendText';
import { contains } from './executables';
import { explainWrite, makeFolder, noFollow } from './files';
import { codeOf } from './text';

export type AppendResult = { readonly written: string } | { readonly failed: string };

/**
 * Appends lines to a file of the history. If the folder does not exist, creates it and the git
 * merge rules for its files.
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
    const isFirst = await isMissing(folder);
    const outside = await makeFolder(root, folder);
    if (outside !== undefined) return { failed: outside };
    if (isFirst) await writeAttributes(path.dirname(folder));
    await appendText(file, lines);
    return { written: file };
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
}

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
