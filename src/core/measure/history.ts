/** The run history of a workspace as text: one JSON line a measurement, a file a kernel. */
import * as v from 'valibot';
import { isFileName } from '../emit/fileName';
import { hashText } from '../emit/hash';
import { measurementSchema, type Measurement } from './measurement';

/** Folders of the history below the workspace's. */
export const RUNS_PATH = ['.gemm', 'runs'] as const;

/** A file of the history that is larger is not read. */
export const MAX_RUNS_FILE_BYTES = 64 * 2 ** 20;

/** A file of a history as it was read. */
export interface RunsFile {
  readonly name: string;
  readonly text: string;
  /** Why it was not read; its text is empty then. */
  readonly unread?: string;
}

/** A run with the line that says it; the same line twice (after a merge) is one run. */
export interface RunLine {
  /** Without its line end. */
  readonly line: string;
  /** Names of the files that hold it; none when it could not be written. */
  readonly files: readonly string[];
  readonly measurement: Measurement;
}

/** A line that is no measurement of ours: torn, foreign or of another version. */
export interface DamagedLine {
  readonly file: string;
  /** From 1. */
  readonly number: number;
  /** The file's last line, without a line end: it may still be being written. */
  readonly unfinished: boolean;
}

export interface History {
  /** The oldest first; those without a time before all others, in the order of their files and lines. */
  readonly runs: readonly RunLine[];
  readonly damaged: readonly DamagedLine[];
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

/** What the files of a history say; never fails over what they contain. `known`: lines decoded before. */
export function decodeHistory(
  files: readonly RunsFile[],
  known: ReadonlyMap<string, Measurement> = new Map(),
): History {
  const runs = new Map<string, RunLine>();
  const damaged: DamagedLine[] = [];
  for (const { name: file, text } of files) {
    const lines = text.split('\n').map(line => line.replace(/\r$/, ''));
    for (const [index, line] of lines.entries()) {
      if (line.trim() === '') continue;
      const old = runs.get(line);
      const measurement = old?.measurement ?? known.get(line) ?? decodeRun(line);
      if (measurement === undefined) {
        damaged.push({ file, number: index + 1, unfinished: index === lines.length - 1 });
      } else {
        runs.set(line, { line, measurement, files: [...new Set([...(old?.files ?? []), file])] });
      }
    }
  }
  return { runs: inOrder([...runs.values()]), damaged };
}

/** The oldest first. */
export const inOrder = <T extends Pick<RunLine, 'measurement'>>(runs: readonly T[]): readonly T[] =>
  runs.toSorted((one, other) => {
    const [a, b] = [one.measurement.at ?? '', other.measurement.at ?? ''];
    return a < b ? -1 : a > b ? 1 : 0;
  });

/** One line of a history, or undefined when it is no measurement. */
export function decodeRun(line: string): Measurement | undefined {
  try {
    const result = v.safeParse(measurementSchema, JSON.parse(line));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
