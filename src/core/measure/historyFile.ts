/** Decodes one run history file in time slices, or reports why the file is not read. */
import { t } from '@vscode/l10n';
import { decodeLine, MAX_LINE_CHARACTERS, type DecodedLine, type RunRecord } from './historyLine';
import type { YieldIfDue } from './timeSlices';
import { isConflictMarker } from '../text/conflictMarkers';
import { createLineSplitter, type TextLine } from '../text/textLines';

export interface ListedFile {
  readonly name: string;
  readonly bytes: number;
  readonly changedMs: number;
  /** Value that changes whenever the content changes. */
  readonly stamp: string;
  /** Returns the file's text in chunks. Ending the iteration early closes the file. */
  readonly chunks: () => AsyncIterable<string>;
}

export interface DecodedFile {
  readonly name: string;
  readonly runs: readonly RunRecord[];
  /** One-based line numbers of `runs`. */
  readonly numbers: readonly number[];
  /** Ids of deleted runs, which may be in this file or in another file of the folder. */
  readonly deleted: readonly string[];
  readonly damaged: readonly DamagedInFile[];
  /** Number of lines read, without blank lines. */
  readonly lines: number;
  readonly characters: number;
  /** Reason why the file is not read; absent if it is read. */
  readonly unread?: string;
}

export interface DamagedInFile {
  readonly number: number;
  readonly unfinished: boolean;
  /** Missing for a line that is not a record. */
  readonly reason?: DamageReason;
}

/** Why a line is not used: git left it as a marker, or its id belongs to another run. */
export type DamageReason = 'conflict-marker' | 'same-id';

/**
 * Limits on damaged lines above which a file is not treated as a history. None of its runs are then
 * used, because deletions after the damaged lines would be missed.
 */
export const MAX_DAMAGED_LINES = 1000;
export const MAX_DAMAGED_CHARACTERS = 2 ** 20;

export interface DecodeOptions {
  readonly rest: YieldIfDue;
  /** Maximum number of lines to read from the file. */
  readonly mostLines: number;
  /** Cached records, by line. */
  readonly known: ReadonlyMap<string, RunRecord>;
}

/**
 * Returns the runs of the whole file, or no runs and a reason, so that a run with a later deletion
 * is never shown.
 */
export async function decodeFile(file: ListedFile, options: DecodeOptions): Promise<DecodedFile> {
  const runs: RunRecord[] = [];
  const numbers: number[] = [];
  const deleted: string[] = [];
  const damaged: DamagedInFile[] = [];
  let lines = 0;
  let damagedCharacters = 0;
  const take = ({ text, characters, number, ended }: TextLine): string | undefined => {
    lines++;
    if (lines > options.mostLines) return tooManyLines(number, options.mostLines);
    const { records, damaged: isDamaged } = decoded(text, options.known);
    for (const record of records) {
      if (record.kind === 'run') {
        runs.push(record);
        numbers.push(number);
      } else deleted.push(record.id);
    }
    if (!isDamaged) return undefined;
    const reason = isConflictMarker(text) ? ({ reason: 'conflict-marker' } as const) : {};
    damaged.push({ number, unfinished: !ended, ...reason });
    damagedCharacters += characters;
    const isHistory =
      damaged.length <= MAX_DAMAGED_LINES && damagedCharacters <= MAX_DAMAGED_CHARACTERS;
    return isHistory ? undefined : notHistory(number, damaged.length);
  };
  let characters = 0;
  const counted = (chunk: string): void => {
    characters += chunk.length;
  };
  const unread = await firstOf(linesOf(file, options.rest, counted), take);
  const cost = { lines, characters };
  return unread === undefined
    ? { name: file.name, runs, numbers, deleted, damaged, ...cost }
    : { ...nothingOf(file.name, unread), ...cost };
}

export const nothingOf = (name: string, unread: string): DecodedFile => ({
  name,
  runs: [],
  numbers: [],
  deleted: [],
  damaged: [],
  lines: 0,
  characters: 0,
  unread,
});

const decoded = (text: string, known: ReadonlyMap<string, RunRecord>): DecodedLine => {
  const record = known.get(text.trim());
  return record === undefined ? decodeLine(text) : { records: [record], damaged: false };
};

async function* linesOf(
  file: ListedFile,
  rest: YieldIfDue,
  counted: (chunk: string) => void,
): AsyncGenerator<TextLine> {
  const splitter = createLineSplitter(MAX_LINE_CHARACTERS);
  for await (const chunk of file.chunks()) {
    counted(chunk);
    for (const line of splitter.lines(chunk)) {
      yield line;
      const pause = rest();
      if (pause !== undefined) await pause;
    }
    const pause = rest();
    if (pause !== undefined) await pause;
  }
  yield* splitter.last();
}

/** Returns the first defined result of `ask`, or undefined if there is none. */
async function firstOf<T, R>(
  values: AsyncIterable<T>,
  ask: (value: T) => R | undefined,
): Promise<R | undefined> {
  for await (const value of values) {
    const answer = ask(value);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

const notHistory = (line: number, damaged: number): string =>
  t(
    'not read: too many damaged lines ({1} up to line {0}). Fix: delete the damaged lines, or move the file out of .gemm/runs.',
    line,
    damaged,
  );

const tooManyLines = (line: number, most: number): string =>
  t(
    'not read: line {0} exceeds the limit of {1} lines that remain for .gemm/runs. Fix: move old files out of .gemm/runs.',
    line,
    most,
  );
