/**
 * Encodes and decodes lines of the run history. A line is a run with its id, or the deletion of a
 * run. Lines are only appended, and their order is irrelevant, so git can merge two histories with
 * `merge=union`.
 */
import * as v from 'valibot';
import { hashText } from '../text/hash';
import { measurementSchema, type Measurement } from './measurement';

/**
 * Maximum number of characters in a decoded line, several times the longest message of a
 * Measurement.
 */
export const MAX_LINE_CHARACTERS = 131_072;

export interface RunRecord {
  readonly kind: 'run';
  /** Id assigned when the run was appended, or derived from the line if the line has none. */
  readonly id: string;
  /** Text of the line, without its newline. */
  readonly line: string;
  readonly measurement: Measurement;
}

export interface DeletionRecord {
  readonly kind: 'deletion';
  readonly id: string;
}

export type HistoryRecord = RunRecord | DeletionRecord;

export interface DecodedLine {
  readonly records: readonly HistoryRecord[];
  /** Whether any part of the line is neither a run nor a deletion. */
  readonly damaged: boolean;
}

const ID = /^[A-Za-z0-9-]{1,64}$/;

/** Formats a run as a line. `id` is random, so that two equal measurements remain two runs. */
export const runLine = (id: string, measurement: Measurement): string =>
  JSON.stringify({ id, ...measurement });

/**
 * Formats a deletion. All users who delete a run produce the same line, so that a merge keeps one
 * copy.
 */
export const deletionLine = (id: string): string => JSON.stringify({ deleted: id });

/** Returns the line of a deleted run with a new id, because a deleted id stays deleted. */
export function restoredLine(id: string, { line }: Pick<RunRecord, 'line'>): string {
  return JSON.stringify(Object.assign({ id }, JSON.parse(line), { id }));
}

/** Derives an id from the line's content. Equal lines without an id are one run. */
const derivedId = (line: string): string => `line-${hashText(line).slice(0, 32)}`;

const NOTHING: DecodedLine = { records: [], damaged: true };

/**
 * Decodes a line and never throws. If newlines were lost, several records may be joined in one
 * line. Each valid record is decoded.
 */
export function decodeLine(text: string): DecodedLine {
  const line = text.trim();
  if (!mayHoldRecord(line)) return NOTHING;
  const whole = decodeRecord(line);
  if (whole !== undefined) return { records: [whole], damaged: false };
  const parts = line.split(RECORD_START);
  if (parts.length === 1 || parts.length > MAX_JOINED) return NOTHING;
  const decoded = parts.map(decodeRecord);
  const records = decoded.filter(record => record !== undefined);
  return { records, damaged: records.length < parts.length };
}

const RECORD_START = /(?=\{"(?:id|deleted|specKey)":")/;
/** Maximum number of joined records that are decoded from one line. */
const MAX_JOINED = 8;

/**
 * Tests whether a line may contain a record, so that most other lines are rejected before the
 * slower JSON decoder runs.
 */
const mayHoldRecord = (line: string): boolean =>
  line.length <= MAX_LINE_CHARACTERS &&
  line.startsWith('{') &&
  (line.includes('"specKey"') || line.includes('"deleted"'));

function decodeRecord(line: string): HistoryRecord | undefined {
  if (!line.endsWith('}')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('specKey' in value)) {
    const deleted = 'deleted' in value ? value.deleted : undefined;
    return isId(deleted) ? { kind: 'deletion', id: deleted } : undefined;
  }
  const result = v.safeParse(measurementSchema, value, { abortEarly: true });
  if (!result.success) return undefined;
  const id = 'id' in value && isId(value.id) ? value.id : derivedId(line);
  return { kind: 'run', id, line, measurement: result.output };
}

const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value);
