/**
 * A line of the run history: a run with its id, or the deletion of a run. Lines are only appended,
 * and their order is irrelevant, so git may merge two histories with `merge=union`.
 */
import * as v from 'valibot';
import { hashText } from '../text/hash';
import { measurementSchema, type Measurement } from './measurement';

/** Longer lines are not decoded; several times the longest message of a Measurement. */
export const MAX_LINE_CHARACTERS = 131_072;

export interface RunRecord {
  readonly kind: 'run';
  /** Assigned when the run was appended; without one, derived from the line's text. */
  readonly id: string;
  /** Without its line end. */
  readonly line: string;
  readonly measurement: Measurement;
}

export interface DeletionRecord {
  readonly kind: 'deletion';
  /** Id of the deleted run. */
  readonly id: string;
}

export type HistoryRecord = RunRecord | DeletionRecord;

export interface DecodedLine {
  readonly records: readonly HistoryRecord[];
  /** Whether a part of the line is not a run and not a deletion. */
  readonly damaged: boolean;
}

const ID = /^[A-Za-z0-9-]{1,64}$/;

/** Formats a run as a line. `id` is random, so two equal measurements are two runs. */
export const runLine = (id: string, measurement: Measurement): string =>
  JSON.stringify({ id, ...measurement });

/** Formats a deletion identically for all users who delete the run, so a merge keeps it once. */
export const deletionLine = (id: string): string => JSON.stringify({ deleted: id });

/** Restores a deleted run as a new run: a deleted id never returns. */
export function restoredLine(id: string, { line }: Pick<RunRecord, 'line'>): string {
  return JSON.stringify(Object.assign({ id }, JSON.parse(line), { id }));
}

/** Derives an id from the line: equal lines without an id are one run, and are deleted together. */
const derivedId = (line: string): string => `line-${hashText(line).slice(0, 32)}`;

const NOTHING: DecodedLine = { records: [], damaged: true };

/**
 * Decodes a line; never throws. A line without its newline may be joined with the next line: each
 * part is decoded.
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

/** Start of a record. */
const RECORD_START = /(?=\{"(?:id|deleted|specKey)":")/;
/** Two concurrent writers leave at most this many parts. */
const MAX_JOINED = 8;

/**
 * Tests cheaply whether a line may hold a record, because a failing decoder costs more than a
 * succeeding decoder.
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
