/** The run history of a workspace as text: one JSON line a measurement, a file a kernel. */
import * as v from 'valibot';
import { isFileName } from '../emit/fileName';
import { hashText } from '../emit/hash';
import { measurementSchema, type Measurement } from './measurement';

/** Folders of the history below the workspace's. */
export const RUNS_PATH = ['.gemm', 'runs'] as const;

/** A file of the history that is larger is not read. */
export const MAX_RUNS_FILE_BYTES = 64 * 2 ** 20;

export interface Runs {
  /** In the order of the files' names, then of their lines. */
  readonly measurements: readonly Measurement[];
  /** Lines that are no measurement of ours: torn, foreign or of another version. */
  readonly skippedLines: number;
}

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

/** What the files of a history say; never fails over what they contain. */
export function decodeRuns(texts: readonly string[]): Runs {
  const measurements: Measurement[] = [];
  let skippedLines = 0;
  for (const line of texts.flatMap(text => text.split('\n'))) {
    if (line.trim() === '') continue;
    const measurement = decodeRun(line);
    if (measurement === undefined) skippedLines++;
    else measurements.push(measurement);
  }
  return { measurements, skippedLines };
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
