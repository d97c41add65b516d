/**
 * Merges the run history files of a workspace, `.gemm/runs/*.jsonl`. The order of lines and files
 * is irrelevant, duplicate lines count as one run, and a deleted run stays deleted.
 */
import { isFileName } from '../kernel/file/fileName';
import { hashText } from '../text/hash';
import { canonicalJson } from '../text/canonicalJson';
import type { DamageReason, DecodedFile } from './historyFile';
import type { RunRecord } from './historyLine';
import { byOrder } from './runOrder';
import type { YieldIfDue } from './timeSlices';

export const RUNS_PATH = ['.gemm', 'runs'] as const;

/** A run and its line. Duplicate lines, for example after a merge, are one run. */
export interface RunLine extends Omit<RunRecord, 'kind'> {
  /** Names of the files that contain the line; empty if the run could not be written. */
  readonly files: readonly string[];
}

/**
 * A line that is not used: it is neither a run nor a deletion, or its id belongs to another run. It
 * may be truncated, not written by this extension, or from a different version.
 */
export interface DamagedLine {
  readonly file: string;
  /** One-based line number. */
  readonly number: number;
  /**
   * Whether the line is the last of its file and has no newline; another process may be writing it.
   */
  readonly unfinished: boolean;
  readonly reason?: DamageReason;
}

export interface History {
  /**
   * Runs from oldest to newest (`runOrder.ts`). Runs without a time come first. Equal runs are
   * sorted by id, so that the order of files and lines is irrelevant.
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
 * damaged lines. An id is one run. If an edited line has the same id, one line is kept, which does
 * not depend on the order of the lines. The other lines are reported.
 */
export async function joinHistory(
  files: readonly DecodedFile[],
  rest: YieldIfDue,
): Promise<History> {
  const deleted = new Set(files.flatMap(file => file.deleted));
  const runs = new Map<string, RunLine>();
  for (const { name, runs: found } of files) {
    for (const run of found) {
      if (deleted.has(run.id)) continue;
      const old = runs.get(run.id);
      if (old === undefined) runs.set(run.id, lineOf(run, [name]));
      else if (isSame(old, run)) runs.set(run.id, withFile(old, name));
      else if (run.line < old.line) runs.set(run.id, lineOf(run, [name]));
      const pause = rest();
      if (pause !== undefined) await pause;
    }
  }
  const clashes = files.flatMap(({ name, runs: found, numbers }) =>
    found.flatMap((run, index): DamagedLine[] => {
      const kept = runs.get(run.id);
      if (kept === undefined || isSame(kept, run)) return [];
      return [{ file: name, number: numbers[index] ?? 1, unfinished: false, reason: 'same-id' }];
    }),
  );
  const damaged = files.flatMap(({ name, damaged: lines }) =>
    lines.map(line => ({ file: name, ...line })),
  );
  return { runs: inOrder([...runs.values()]), damaged: [...damaged, ...clashes] };
}

const lineOf = ({ id, line, measurement }: RunRecord, files: readonly string[]): RunLine => ({
  id,
  line,
  measurement,
  files,
});

const withFile = (run: RunLine, name: string): RunLine =>
  run.files.includes(name) ? run : { ...run, files: [...run.files, name] };

/** Tests whether two lines of an id differ at most in spaces and in the order of their fields. */
const isSame = (one: Pick<RunLine, 'line'>, other: Pick<RunLine, 'line'>): boolean =>
  one.line === other.line ||
  canonicalJson(JSON.parse(one.line)) === canonicalJson(JSON.parse(other.line));

export const inOrder = <T extends Pick<RunLine, 'id' | 'measurement'>>(
  runs: readonly T[],
): readonly T[] =>
  runs.toSorted(
    (one, other) =>
      byOrder(one.measurement, other.measurement) ||
      (one.id < other.id ? -1 : one.id > other.id ? 1 : 0),
  );
