/**
 * Merges the run history files of a workspace, `.gemm/runs/*.jsonl`. The order of lines and files
 * is irrelevant, duplicate lines count as one run, and a deleted run stays deleted.
 */
import { isFileName } from '../kernel/file/fileName';
import { hashText } from '../text/hash';
import type { DecodedFile } from './historyFile';
import type { RunRecord } from './historyLine';
import type { YieldIfDue } from './timeSlices';

export const RUNS_PATH = ['.gemm', 'runs'] as const;

/** A run and its line. Duplicate lines, for example after a merge, are one run. */
export interface RunLine extends Omit<RunRecord, 'kind'> {
  /** Names of the files that contain the line; empty if the run could not be written. */
  readonly files: readonly string[];
}

/**
 * A line that is neither a run nor a deletion: truncated, not written by this extension, or from a
 * different version.
 */
export interface DamagedLine {
  readonly file: string;
  /** One-based line number. */
  readonly number: number;
  /**
   * Whether the line is the last of its file and has no newline; another process may be writing it.
   */
  readonly unfinished: boolean;
}

export interface History {
  /**
   * Runs from oldest to newest. Runs without a time come first, in the order of their files and
   * lines.
   */
  readonly runs: readonly RunLine[];
  readonly damaged: readonly DamagedLine[];
}

/**
 * Returns the history file name for a specKey or for the file of a hand-written kernel. If the name
 * is not portable, unsupported characters are replaced, and a hash keeps the names distinct.
 */
export function runsFileName(name: string): string {
  const plain = `${name}.jsonl`;
  if (isFileName(plain)) return plain;
  const slug = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 72);
  // The prefix avoids names that Windows reserves, such as CON.
  return `${['run', slug].filter(Boolean).join('-')}-${hashText(name).slice(0, 8)}.jsonl`;
}

/**
 * Merges the decoded files of a folder into its history: the runs that no file deletes, and the
 * damaged lines.
 */
export async function joinHistory(
  files: readonly DecodedFile[],
  rest: YieldIfDue,
): Promise<History> {
  const deleted = new Set(files.flatMap(file => file.deleted));
  const runs = new Map<string, RunLine>();
  for (const { name, runs: found } of files) {
    for (const { id, line, measurement } of found) {
      if (deleted.has(id)) continue;
      const old = runs.get(line);
      if (old === undefined) runs.set(line, { id, line, measurement, files: [name] });
      else if (!old.files.includes(name)) runs.set(line, { ...old, files: [...old.files, name] });
      const pause = rest();
      if (pause !== undefined) await pause;
    }
  }
  return {
    runs: inOrder([...runs.values()]),
    damaged: files.flatMap(({ name, damaged }) => damaged.map(line => ({ file: name, ...line }))),
  };
}

export const inOrder = <T extends Pick<RunLine, 'measurement'>>(runs: readonly T[]): readonly T[] =>
  runs.toSorted((one, other) => {
    const [a, b] = [one.measurement.at ?? '', other.measurement.at ?? ''];
    return a < b ? -1 : a > b ? 1 : 0;
  });
