/**
 * Reads the baseline file of a gate, which contains a run history or a single Measurement. Reports
 * the first invalid line.
 */
import * as v from 'valibot';
import { HISTORY_LIMITS } from './historyReader';
import { decodeLine, MAX_LINE_CHARACTERS, type RunRecord } from './historyLine';
import { measurementSchema, type Measurement } from './measurement';
import { canonicalJson } from '../text/canonicalJson';
import { conflictMarkerText, isConflictMarker } from '../text/conflictMarkers';
import { createLineSplitter, type TextLine } from '../text/textLines';

export type GateFile =
  | { readonly ok: true; readonly runs: readonly Measurement[] }
  /** `line` is one-based. */
  | { readonly ok: false; readonly line: number; readonly message: string };

const no = (line: number, message: string): GateFile => ({ ok: false, line, message });

export function readGateFile(text: string, limits = HISTORY_LIMITS): GateFile {
  // Accept a single Measurement that an editor formatted over several lines.
  const whole = text.length <= MAX_LINE_CHARACTERS ? decoded(text) : undefined;
  if (whole?.ok === true) return { ok: true, runs: [whole.run] };
  const runs = new Map<string, RunRecord>();
  const contents = new Map<string, string>();
  const deleted = new Set<string>();
  let lines = 0;
  for (const line of linesOf(text)) {
    if (++lines > limits.lines) {
      return no(line.number, `The file has more than ${limits.lines} lines. Fix: split the file.`);
    }
    const { records, damaged } = decodeLine(line.text);
    if (damaged) return no(line.number, whole?.isJson === true ? whole.message : whyDamaged(line));
    for (const record of records) {
      if (record.kind === 'deletion') {
        deleted.add(record.id);
        continue;
      }
      const content = canonicalJson(JSON.parse(record.line));
      if ((contents.get(record.id) ?? content) !== content) return no(line.number, SAME_ID);
      contents.set(record.id, content);
      runs.set(record.id, record);
    }
  }
  if (lines === 0)
    return no(
      1,
      'The file contains no runs. Fix: use a run history or a Measurement as the baseline file.',
    );
  const live = [...runs.values()].filter(({ id }) => !deleted.has(id));
  return { ok: true, runs: live.map(({ measurement }) => measurement) };
}

const SAME_ID =
  'The line has the id of another run, but a different content. Fix: delete one of the two lines.';

function* linesOf(text: string): Generator<TextLine> {
  const splitter = createLineSplitter(MAX_LINE_CHARACTERS);
  yield* splitter.lines(text);
  yield* splitter.last();
}

function whyDamaged({ text, characters, ended }: TextLine): string {
  if (characters > MAX_LINE_CHARACTERS) {
    return `The line has ${characters} characters; the limit is ${MAX_LINE_CHARACTERS}. Fix: delete the line.`;
  }
  if (isConflictMarker(text)) return conflictMarkerText();
  const one = decoded(text);
  if (one.ok) return 'Not a Measurement.';
  return !one.isJson && !ended
    ? 'The line is truncated. Fix: restore or delete the line.'
    : one.message;
}

type Decoded =
  | { readonly ok: true; readonly run: Measurement }
  | { readonly ok: false; readonly isJson: boolean; readonly message: string };

function decoded(text: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = `Not JSON: ${error instanceof Error ? error.message : String(error)}.`;
    return { ok: false, isJson: false, message };
  }
  const result = v.safeParse(measurementSchema, value);
  if (result.success) return { ok: true, run: result.output };
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  const message = `Not a Measurement: ${path === null ? '' : `${path}: `}${issue.message}`;
  return { ok: false, isJson: true, message };
}
