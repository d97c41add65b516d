/** Small edits that turn one text into another, so that what did not change stays as it is. */
import { locate } from './jsonLocation';

/** A span of a text and what takes its place. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The span of `before` to replace, and by what, to get `after`. */
export function difference(before: string, after: string): Replacement {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

/**
 * The replacements that make the JSON text say `value` with its own layout kept: a value each, where only
 * values differ; null where fields come or go, or the text is no JSON.
 */
export function valueReplacements(json: string, value: unknown): readonly Replacement[] | null {
  const parsed = parse(json);
  if (parsed === undefined) return null;
  const [before, after] = [leavesOf(parsed), leavesOf(value)];
  if (before.size !== after.size || [...after.keys()].some(path => !before.has(path))) return null;
  return [...after].flatMap(([path, text]) =>
    before.get(path) === text ? [] : [{ ...locate(json, path), text }],
  );
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** JSON text of every value that holds no others, by path. */
function leavesOf(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    return new Map([[path, JSON.stringify(value ?? null)]]);
  }
  const below = Object.entries(value).flatMap(([key, child]) => [
    ...leavesOf(child, path === '' ? key : `${path}.${key}`),
  ]);
  return new Map(below);
}
