/** Unique shapes of a list, with the sum of their weights. */
import { resolve } from '../defaults/resolve';
import type { ResolvedProblem } from '../spec/resolved';
import type { GemmSpec } from '../spec/schema';
import { hashText } from '../text/hash';
import type { FileTime, ShapeEntry, ShapeFormat } from './shapes/shape';

export interface Shape {
  /** Key of the problem and the omitted parts, which is the same for every run. */
  readonly key: string;
  readonly problem: GemmSpec['problem'];
  readonly resolved: ResolvedProblem;
  readonly weight: number;
  /** Places of the file, at most `MAX_PLACES`, and the number of all places. */
  readonly places: readonly string[];
  readonly entries: number;
  readonly name?: string;
  readonly omitted: readonly string[];
  /** Shortest time in the file. It was measured by another program. */
  readonly fileTime?: FileTime;
}

const MAX_PLACES = 5;

/**
 * Whether equal lines are repeated calls, so that weights add up. Otherwise they are several
 * kernels or states of the same shape.
 */
const COUNTS_CALLS: Readonly<Record<ShapeFormat, boolean>> = {
  tunableop: true,
  csv: true,
  json: true,
  cutlass: false,
  nvbench: false,
};

/** Merges entries with equal problems. The order is that of the first occurrence. */
export function uniqueShapes(
  entries: readonly ShapeEntry[],
  format: ShapeFormat,
): readonly Shape[] {
  const shapes = new Map<string, Shape>();
  const keyed = new Map<string, Keyed>();
  for (const entry of entries) {
    const text = JSON.stringify([entry.problem, entry.omitted]);
    const { key, resolved } = keyed.get(text) ?? keyOf(entry);
    keyed.set(text, { key, resolved });
    const before = shapes.get(key);
    shapes.set(
      key,
      before === undefined ? first(key, entry, resolved) : merged(before, entry, format),
    );
  }
  return [...shapes.values()];
}

type Keyed = Pick<Shape, 'key' | 'resolved'>;

/** Returns a key that is equal for specs of the same problem, such as with and without defaults. */
function keyOf({ problem, omitted }: ShapeEntry): Keyed {
  // A schedule keeps `resolve` from a search for the default schedule.
  const { problem: resolved } = resolve({ problem, schedule: { algorithm: 'naive' } });
  return { key: hashText(JSON.stringify([resolved, omitted])).slice(0, 16), resolved };
}

function first(key: string, entry: ShapeEntry, resolved: ResolvedProblem): Shape {
  const { problem, weight, place, name, omitted, time } = entry;
  return {
    key,
    problem,
    resolved,
    weight,
    places: [place],
    entries: 1,
    omitted,
    ...(name === undefined ? {} : { name }),
    ...(time === undefined ? {} : { fileTime: time }),
  };
}

function merged(shape: Shape, { weight, place, time }: ShapeEntry, format: ShapeFormat): Shape {
  const { fileTime } = shape;
  const isFaster =
    time !== undefined && (fileTime === undefined || time.milliseconds < fileTime.milliseconds);
  return {
    ...shape,
    weight: COUNTS_CALLS[format] ? shape.weight + weight : Math.max(shape.weight, weight),
    places: shape.places.length < MAX_PLACES ? [...shape.places, place] : shape.places,
    entries: shape.entries + 1,
    ...(isFaster ? { fileTime: time } : {}),
  };
}
