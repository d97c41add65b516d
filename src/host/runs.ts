/**
 * The run history of a workspace: one JSON line a measurement in `.gemm/runs/*.jsonl`. Several windows use one
 * history without a lock: lines are appended in one write, a file is replaced in one step, and whoever
 * appended to a file that was replaced meanwhile appends again (a line that is there twice is one run).
 */
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { isFileName, noFileName } from '../core/emit/fileName';
import { sameBytes } from '../core/measure/historyEdit';
import {
  MAX_RUNS_FILE_BYTES,
  RUNS_PATH,
  runsFileName,
  type RunsFile,
} from '../core/measure/history';
import type { Measurement } from '../core/measure/measurement';
import { explainWrite, makeFolder, noFollow, replaceFile } from './files';
import { codeOf } from './text';

export type AppendResult = { readonly written: string } | { readonly failed: string };

/** Adds a measurement to the history of `name`, usually a specKey. */
export function appendRun(
  root: string,
  name: string,
  measurement: Measurement,
): Promise<AppendResult> {
  const text = `${JSON.stringify(measurement)}\n`;
  return write(root, runsFileName(name), file => appendText(file, text));
}

/** Replaces a file of the history by what `change` makes of its bytes; an empty file is removed. */
export function rewriteRuns(
  root: string,
  name: string,
  change: (bytes: Uint8Array) => Uint8Array,
): Promise<AppendResult> {
  return write(root, name, file => rewrite(file, change));
}

async function write(
  root: string,
  name: string,
  change: (file: string) => Promise<void>,
): Promise<AppendResult> {
  const folder = path.resolve(root, ...RUNS_PATH);
  const file = path.join(folder, name);
  if (!isFileName(name)) return { failed: noFileName(name) };
  try {
    const outside = await makeFolder(root, folder);
    if (outside !== undefined) return { failed: outside };
    await change(file);
    return { written: file };
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
}

/** Other windows that replace the file at the same moment, time after time. */
const MOST_ATTEMPTS = 20;
const BUSY = 'other windows change it again and again; try again';

async function appendText(file: string, text: string | Uint8Array): Promise<void> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const handle = await fs.open(file, flags, 0o666);
    try {
      // A line that a crash cut short stays a line of its own.
      const separator = (await endsWithNewline(handle)) ? '' : '\n';
      await handle.appendFile(Buffer.concat([Buffer.from(separator), Buffer.from(text)]));
      await handle.sync();
      if (await isStill(file, handle)) return;
    } finally {
      await handle.close();
    }
  }
  throw new Error(BUSY);
}

async function rewrite(file: string, change: (bytes: Uint8Array) => Uint8Array): Promise<void> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const handle = await openToRead(file);
    try {
      const before: Uint8Array = (await handle?.readFile()) ?? new Uint8Array();
      const after = change(before);
      if (sameBytes(before, after)) return;
      if (!(await isStill(file, handle))) continue;
      const unended = before.subarray(before.lastIndexOf(NEWLINE) + 1);
      // Another window is in the middle of that line: a file that is written grows page by page.
      if (unended.length > 0 && (await hasGrown(handle, before.length))) continue;
      if (after.length === 0) await fs.rm(file, { force: true });
      else await replaceFile(file, after);
      // Appended by another window to the file that was replaced.
      const late = (await handle?.readFile()) ?? new Uint8Array();
      if (late.length > 0) await appendText(file, Buffer.concat([unended, late]));
      return;
    } finally {
      await handle?.close();
    }
  }
  throw new Error(BUSY);
}

async function openToRead(file: string): Promise<fs.FileHandle | undefined> {
  try {
    return await fs.open(file, constants.O_RDONLY | noFollow);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the path still leads to the file that is open. */
async function isStill(file: string, handle: fs.FileHandle | undefined): Promise<boolean> {
  const there = await fs.lstat(file, { bigint: true }).catch(() => undefined);
  const open = await handle?.stat({ bigint: true });
  return there?.ino === open?.ino && there?.dev === open?.dev;
}

const NEWLINE = 0x0a;

const hasGrown = async (handle: fs.FileHandle | undefined, bytes: number): Promise<boolean> =>
  ((await handle?.stat())?.size ?? 0) > bytes;

async function endsWithNewline(handle: fs.FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === NEWLINE;
}

/** The files of a workspace's history, by name; none when it has no history. */
export async function readRuns(root: string): Promise<readonly RunsFile[]> {
  const folder = path.join(root, ...RUNS_PATH);
  const names = (await fs.readdir(folder).catch(() => [])).filter(name => name.endsWith('.jsonl'));
  const files: RunsFile[] = [];
  for (const name of names.sort()) files.push(await readFile(folder, name));
  return files;
}

async function readFile(folder: string, name: string): Promise<RunsFile> {
  const file = path.join(folder, name);
  try {
    const stat = await fs.stat(file);
    if (!stat.isFile()) return { name, text: '', unread: 'it is no file' };
    if (stat.size > MAX_RUNS_FILE_BYTES) {
      const unread = `it has ${stat.size} bytes; up to ${MAX_RUNS_FILE_BYTES} are read`;
      return { name, text: '', unread };
    }
    return { name, text: await fs.readFile(file, 'utf8') };
  } catch (error) {
    return { name, text: '', unread: codeOf(error) };
  }
}
