/** The run history of a workspace: one JSON line a measurement in `.gemm/runs/*.jsonl`. */
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { hashText } from '../core/emit/hash';
import { measurementSchema, type Measurement } from '../core/measure/measurement';
import { explainWrite, isFileName, makeFolder, noFollow } from './files';

export const RUNS_FOLDER = path.join('.gemm', 'runs');
const MAX_FILE_BYTES = 64 * 2 ** 20;

export type AppendResult = { readonly written: string } | { readonly failed: string };

/**
 * The history's file: of a specKey, or of a hand-written kernel, whose own file may be called anything. What
 * cannot be a file name everywhere becomes one, with a hash that keeps two names apart.
 */
export function runsFileName(name: string): string {
  const plain = `${name}.jsonl`;
  if (isFileName(plain)) return plain;
  const slug = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 72);
  // The prefix keeps names that Windows reserves, such as CON, out of the first place.
  return `${['run', slug].filter(Boolean).join('-')}-${hashText(name).slice(0, 8)}.jsonl`;
}

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

export interface Runs {
  /** In the order of the files' names, then of their lines. */
  readonly measurements: readonly Measurement[];
  /** Lines that are no measurement of ours: torn, foreign or of another version. */
  readonly skippedLines: number;
}

/** All runs of a workspace; none when it has no history. Never fails over what the files contain. */
export async function readRuns(root: string): Promise<Runs> {
  const folder = path.join(root, RUNS_FOLDER);
  const names = (await fs.readdir(folder).catch(() => [])).filter(name => name.endsWith('.jsonl'));
  const measurements: Measurement[] = [];
  let skippedLines = 0;
  for (const name of names.sort()) {
    for (const line of (await readText(path.join(folder, name))).split('\n')) {
      if (line.trim() === '') continue;
      const measurement = decodeRun(line);
      if (measurement === undefined) skippedLines++;
      else measurements.push(measurement);
    }
  }
  return { measurements, skippedLines };
}

async function readText(file: string): Promise<string> {
  try {
    const stat = await fs.stat(file);
    return stat.isFile() && stat.size <= MAX_FILE_BYTES ? await fs.readFile(file, 'utf8') : '';
  } catch {
    return '';
  }
}

/** One line of a history, or undefined when it is no measurement. */
export function decodeRun(line: string): Measurement | undefined {
  try {
    const result = v.safeParse(measurementSchema, JSON.parse(line));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
