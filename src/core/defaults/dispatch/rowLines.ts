/**
 * Adopted dispatch rows of a workspace, `.gemm/dispatch.jsonl`: one row per line. Lines are only
 * appended, and their order is irrelevant, so git can merge two files with `merge=union`. Rows of
 * an older version, `.gemm/dispatch.json`, are copied to lines by the first write.
 */
import { t } from '@vscode/l10n';
import * as v from 'valibot';
import { decodeErrors, type SpecError } from '../../spec/decode';
import { canonicalJson } from '../../text/canonicalJson';
import {
  conflictMarkerText,
  firstConflictMarker,
  isConflictMarker,
} from '../../text/conflictMarkers';
import { hashText } from '../../text/hash';
import { createLineSplitter, type TextLine } from '../../text/textLines';
import { MAX_ROWS, pointKey, rowSchema, rowSteps, rowsText, type DispatchRow } from './row';

export const LINES_PATH = ['.gemm', 'dispatch.jsonl'] as const;

/** Maximum number of characters in a line, several times a row with 64 ties. */
export const MAX_LINE_CHARACTERS = 131_072;
/** Maximum number of lines. Replaced rows stay in the file, so it exceeds the number of rows. */
export const MAX_LINES = 2 * MAX_ROWS;
/** Damaged lines that are reported, after which the rest of the file is not read. */
const MAX_DAMAGED = 1000;

/** Contents of the two files; undefined for a file that does not exist. */
export interface RowFiles {
  readonly lines: string | undefined;
  /** Text of `dispatch.json`, which older versions wrote. */
  readonly old: string | undefined;
}

export interface LineProblem {
  /** One-based line number in `dispatch.jsonl`. */
  readonly line: number;
  readonly message: string;
}

export interface Adopted {
  /** One row per `pointKey`, sorted by it. */
  readonly rows: readonly DispatchRow[];
  /** Lines that are not used. The other lines are. */
  readonly problems: readonly LineProblem[];
  /** Errors of `dispatch.json`, whose rows are then not used. */
  readonly oldErrors: readonly SpecError[];
  /** Reason why `dispatch.jsonl` is not read; absent if it is read. */
  readonly unread?: string;
  /** Rows of `dispatch.json` that were not copied to lines yet. */
  readonly unmigrated: readonly DispatchRow[];
  /** Highest revision, by `pointKey`. */
  readonly revisions: ReadonlyMap<string, number>;
  /** Number of lines with a row, including replaced rows. */
  readonly lines: number;
}

/**
 * A row and its revision. An adoption has the highest present revision of its point plus 1, so that
 * it replaces the rows that its author had. The clock of a machine has no influence.
 */
interface Revised {
  readonly revision: number;
  readonly row: DispatchRow;
}

const revision = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const lineSchema = v.strictObject({ revision, ...rowSchema.entries });
const migratedSchema = v.strictObject({
  migrated: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});

export const rowLine = ({ revision: number, row }: Revised): string =>
  JSON.stringify({ revision: number, ...row });

/** All branches that copied the same rows write the same line, so that a merge keeps one copy. */
const migratedLine = (hash: string): string => JSON.stringify({ migrated: hash });

/**
 * Returns the lines that adopt a row. They begin with copies of the rows of `dispatch.json` that
 * are not copied yet. Returns no lines if the row is already adopted.
 */
export function linesToAdopt(adopted: Adopted, row: DispatchRow): readonly string[] {
  const key = pointKey(row);
  const present = adopted.rows.find(other => pointKey(other) === key);
  const isPresent = present !== undefined && canonicalJson(present) === canonicalJson(row);
  const copied = adopted.unmigrated.map(old => rowLine({ revision: 0, row: old }));
  const number = (adopted.revisions.get(key) ?? 0) + 1;
  return [
    ...copied,
    ...(copied.length === 0 ? [] : [migratedLine(hashOf(adopted.unmigrated))]),
    ...(isPresent ? [] : [rowLine({ revision: number, row })]),
  ];
}

/** Hashes decoded rows, so that line endings and spaces of `dispatch.json` have no influence. */
const hashOf = (rows: readonly DispatchRow[]): string => hashText(rowsText(rows));

/** Returns why the lines of a row cannot be added; undefined if the file has room. */
export function whyFull(
  { lines, rows, revisions }: Adopted,
  row: DispatchRow,
  added: number,
): string | undefined {
  const isNew = !revisions.has(pointKey(row));
  if (lines + added <= MAX_LINES && rows.length + Number(isNew) <= MAX_ROWS) return undefined;
  return t(
    'the file has {0} rows in {1} lines; the maximum is {2} rows in {3} lines. Fix: delete lines of rows that are replaced or not needed, then adopt again.',
    rows.length,
    lines,
    MAX_ROWS,
    MAX_LINES,
  );
}

export function parseAdopted(files: RowFiles): Adopted {
  const steps = adoptedSteps(files);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Decodes both files; yields after each row, so that the caller can pause. */
export function* adoptedSteps({ lines: text = '', old }: RowFiles): Generator<undefined, Adopted> {
  const heads = new Map<string, Revised>();
  const migrated = new Set<string>();
  const problems: LineProblem[] = [];
  let lines = 0;
  let unread: string | undefined;
  for (const line of linesOf(text.replace(/^\uFEFF/, ''))) {
    const { records, problem } = decodeLine(line);
    for (const record of records) {
      if ('migrated' in record) migrated.add(record.migrated);
      else {
        lines++;
        take(heads, record);
      }
    }
    if (problem !== undefined) problems.push({ line: line.number, message: problem });
    if (lines > MAX_LINES || problems.length > MAX_DAMAGED) {
      unread = notRead(line.number);
      break;
    }
    yield undefined;
  }
  if (unread !== undefined) heads.clear();
  const before = old === undefined ? undefined : yield* rowSteps(old);
  const oldErrors = before === undefined || before.ok ? [] : withMarker(before.errors, old ?? '');
  const oldRows = before?.ok === true ? before.rows : [];
  const isMigrated = migrated.size > 0 && migrated.has(hashOf(oldRows));
  const unmigrated = isMigrated ? [] : oldRows;
  for (const row of unmigrated) take(heads, { revision: 0, row });
  const sorted = [...heads].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    rows: sorted.map(([, { row }]) => row),
    problems,
    oldErrors,
    ...(unread === undefined ? {} : { unread }),
    unmigrated,
    revisions: new Map(sorted.map(([key, head]) => [key, head.revision])),
    lines,
  };
}

/**
 * Keeps the row with the highest revision. Equal revisions were adopted on two branches; then the
 * faster row is kept, and the same one for any order of the lines.
 */
function take(heads: Map<string, Revised>, found: Revised): void {
  const key = pointKey(found.row);
  const head = heads.get(key);
  if (head === undefined || replaces(found, head)) heads.set(key, found);
}

function replaces(one: Revised, other: Revised): boolean {
  const ahead = one.revision - other.revision || one.row.gflops - other.row.gflops;
  return ahead === 0 ? canonicalJson(one.row) > canonicalJson(other.row) : ahead > 0;
}

function* linesOf(text: string): Generator<TextLine> {
  const splitter = createLineSplitter(MAX_LINE_CHARACTERS);
  yield* splitter.lines(text);
  yield* splitter.last();
}

type LineRecord = Revised | v.InferOutput<typeof migratedSchema>;

interface DecodedLine {
  readonly records: readonly LineRecord[];
  readonly problem?: string;
}

/**
 * Decodes a line and never throws. If newlines were lost, several records may be joined in one
 * line. Each valid record is decoded.
 */
function decodeLine({ text, characters, ended }: TextLine): DecodedLine {
  if (characters > MAX_LINE_CHARACTERS) {
    const problem = t(
      'The line has {0} characters; the limit is {1}.',
      characters,
      MAX_LINE_CHARACTERS,
    );
    return { records: [], problem };
  }
  if (isConflictMarker(text)) return { records: [], problem: conflictMarkerText() };
  const decoded = text.trim().split(RECORD_START).map(decodeRecord);
  const records = decoded.flatMap(record => (record.ok ? [record.record] : []));
  const problem = decoded.flatMap(record => (record.ok ? [] : [record.message]))[0];
  if (problem === undefined) return { records };
  return { records, problem: ended ? problem : t('The line is truncated: {0}', problem) };
}

const RECORD_START = /(?<=\})(?=\{"(?:revision|migrated)":)/;

type DecodedRecord =
  | { readonly ok: true; readonly record: LineRecord }
  | { readonly ok: false; readonly message: string };

function decodeRecord(text: string): DecodedRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: t('Not JSON: {0}', why) };
  }
  const migrated = v.safeParse(migratedSchema, value);
  if (migrated.success) return { ok: true, record: migrated.output };
  const result = v.safeParse(lineSchema, value, { abortPipeEarly: true });
  if (result.success) {
    const { revision: number, ...row } = result.output;
    return { ok: true, record: { revision: number, row } };
  }
  const [first] = decodeErrors(result.issues, lineSchema);
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  return { ok: false, message: `${where}${first?.message ?? ''}` };
}

/** Names the first conflict marker, which is the reason why the text is not JSON. */
function withMarker(errors: readonly SpecError[], text: string): readonly SpecError[] {
  const line = firstConflictMarker(text);
  if (line === undefined) return errors;
  return [{ path: '', message: t('Line {0}: {1}', line, conflictMarkerText()) }];
}

const notRead = (line: number): string =>
  t(
    'not read: line {0} exceeds the limits of {1} rows and {2} damaged lines. Fix: delete lines of replaced rows and damaged lines.',
    line,
    MAX_LINES,
    MAX_DAMAGED,
  );
