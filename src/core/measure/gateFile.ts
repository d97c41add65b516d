/** What a gate compares with: a file of the run history, or one Measurement. Whatever is no run is said, with its line. */
import * as v from 'valibot';
import { measurementSchema, type Measurement } from './measurement';

export type GateFile =
  | { readonly ok: true; readonly runs: readonly Measurement[] }
  /** `line` from 1. */
  | { readonly ok: false; readonly line: number; readonly message: string };

export function readGateFile(text: string): GateFile {
  const whole = decoded(text);
  // One Measurement over many lines, as somebody's editor prints it.
  if (whole.ok) return { ok: true, runs: [whole.run] };
  const lines = text.split('\n').map(line => line.replace(/\r$/, ''));
  const filled = lines.filter(line => line.trim() !== '').length;
  if (filled === 0) return { ok: false, line: 1, message: 'There is no run in it.' };
  if (whole.isJson) return { ok: false, line: 1, message: whole.message };
  const runs: Measurement[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const one = decoded(line);
    if (!one.ok) {
      const cut = !one.isJson && index === lines.length - 1;
      const message = cut ? 'The line is cut off: its end is missing.' : one.message;
      return { ok: false, line: index + 1, message };
    }
    runs.push(one.run);
  }
  return { ok: true, runs };
}

type Decoded =
  | { readonly ok: true; readonly run: Measurement }
  | { readonly ok: false; readonly isJson: boolean; readonly message: string };

function decoded(text: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = `It is no JSON: ${error instanceof Error ? error.message : String(error)}.`;
    return { ok: false, isJson: false, message };
  }
  const result = v.safeParse(measurementSchema, value);
  if (result.success) return { ok: true, run: result.output };
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  const message = `It is no Measurement: ${path === null ? '' : `${path}: `}${issue.message}`;
  return { ok: false, isJson: true, message };
}
