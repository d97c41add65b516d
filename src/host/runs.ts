/** The run history of a workspace: one JSON line a measurement in `.gemm/runs/*.jsonl`. */
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import {
  decodeRuns,
  MAX_RUNS_FILE_BYTES,
  RUNS_PATH,
  runsFileName,
  type Runs,
} from '../core/measure/history';
import type { Measurement } from '../core/measure/measurement';
import { explainWrite, makeFolder, noFollow } from './files';

const RUNS_FOLDER = path.join(...RUNS_PATH);

export type AppendResult = { readonly written: string } | { readonly failed: string };

/** Adds a measurement to the history of `name`, usually a specKey. */
export async function appendRun(
  root: string,
  name: string,
  measurement: Measurement,
): Promise<AppendResult> {
  const folder = path.resolve(root, RUNS_FOLDER);
  const file = path.join(folder, runsFileName(name));
  try {
    const outside = await makeFolder(root, folder);
    if (outside !== undefined) return { failed: outside };
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow;
    const handle = await fs.open(file, flags, 0o666);
    try {
      // A line that a crash cut short stays a line of its own.
      const separator = (await endsWithNewline(handle)) ? '' : '\n';
      await handle.appendFile(`${separator}${JSON.stringify(measurement)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { written: file };
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
}

async function endsWithNewline(handle: fs.FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/** All runs of a workspace; none when it has no history. Never fails over what the files contain. */
export async function readRuns(root: string): Promise<Runs> {
  const folder = path.join(root, RUNS_FOLDER);
  const names = (await fs.readdir(folder).catch(() => [])).filter(name => name.endsWith('.jsonl'));
  const texts: string[] = [];
  for (const name of names.sort()) texts.push(await readText(path.join(folder, name)));
  return decodeRuns(texts);
}

async function readText(file: string): Promise<string> {
  try {
    const stat = await fs.stat(file);
    const readable = stat.isFile() && stat.size <= MAX_RUNS_FILE_BYTES;
    return readable ? await fs.readFile(file, 'utf8') : '';
  } catch {
    return '';
  }
}
