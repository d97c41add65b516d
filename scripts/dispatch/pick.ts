/**
 * Builds a dispatch table from measurements: a small set of schedules, and the parameters of the
 * wave model with the smallest mean loss.
 */
import { proposals } from '../../src/core/defaults/dispatch/choose';
import { packedLine, type PackedTable } from '../../src/core/defaults/dispatch/packed';
import { pointKey, tableKey, type DispatchRow } from '../../src/core/defaults/dispatch/row';
import { tablesOf } from '../../src/core/defaults/dispatch/table';
import { DEFAULT_WAVE_MODEL, type WaveModel } from '../../src/core/defaults/dispatch/waveModel';
import { resolve } from '../../src/core/defaults/resolve';
import { isLegal } from '../../src/core/plan/planner';
import type { DType } from '../../src/core/types/dtype';
import type { GemmSpec, Layout } from '../../src/core/spec/schema';

const keyOf = ({ schedule }: DispatchRow): string => JSON.stringify(schedule);

function grouped(
  rows: readonly DispatchRow[],
  of: (row: DispatchRow) => string,
): ReadonlyMap<string, readonly DispatchRow[]> {
  const groups = new Map<string, DispatchRow[]>();
  for (const row of rows) groups.set(of(row), [...(groups.get(of(row)) ?? []), row]);
  return groups;
}

/** Minimum gain of an added schedule: the sum over all shapes of the logarithm of the speedup. */
const LEAST_GAIN = 0.012;
export const MOST_SCHEDULES = 24;

/**
 * Selects schedules greedily and returns their keys. Each step adds the schedule with the largest
 * gain over the best rates reached so far.
 */
export function pickSchedules(rows: readonly DispatchRow[]): readonly string[] {
  const points = [...grouped(rows, pointKey).values()].map(
    same => new Map(same.map(row => [keyOf(row), row.gflops])),
  );
  const all = [...new Set(rows.map(keyOf))];
  // Initial best rate of each shape in GFLOP/s. It is so low that the first schedule for a shape
  // has a large gain.
  const NOTHING = 1e-3;
  const reached = points.map(() => NOTHING);
  const picked: string[] = [];
  while (picked.length < Math.min(MOST_SCHEDULES, all.length)) {
    const gains = all.map(key => ({
      key,
      gain: points.reduce((sum, point, i) => {
        const rate = point.get(key) ?? 0;
        return sum + Math.max(0, Math.log(Math.max(rate, NOTHING) / (reached[i] ?? NOTHING)));
      }, 0),
    }));
    const best = gains.reduce((one, other) => (other.gain > one.gain ? other : one));
    if (best.gain < LEAST_GAIN) break;
    picked.push(best.key);
    points.forEach((point, i) => {
      reached[i] = Math.max(reached[i] ?? NOTHING, point.get(best.key) ?? 0);
    });
  }
  return picked;
}

const LAYOUT: Readonly<Record<string, Layout>> = { r: 'row', c: 'col' };

function specOf({ types, layouts, shape, schedule, device, target }: DispatchRow): GemmSpec {
  const { accumulator } = types;
  const [a, b, c] = layouts.split('').map(letter => LAYOUT[letter] ?? 'row');
  const operand = (dtype: DType, layout: Layout = 'row') => ({ dtype, layout });
  return {
    problem: {
      ...shape,
      a: operand(types.a, a),
      b: operand(types.b, b),
      c: operand(types.c, c),
      accumulator,
    },
    schedule,
    device,
    targets: [target],
  };
}

export interface Loss {
  readonly mean: number;
  readonly worst: number;
  readonly shapes: number;
}

/**
 * Returns the mean and the worst leave-one-out loss. The loss of a shape is the fraction by which
 * the rate of the selected schedule is below the best rate. The table for a shape excludes the
 * measurements of that shape.
 */
export function leftOut(rows: readonly DispatchRow[], model: WaveModel): Loss {
  const [first] = rows;
  const models = new Map(first === undefined ? [] : [[tableKey(first), model]]);
  const losses = tablesOf({ rows, origin: 'shipped', models }).flatMap(table =>
    table.points.flatMap(own => {
      const [fastest] = own.rates;
      if (fastest === undefined) return [];
      const { device, target } = table;
      const { problem } = resolve(specOf(fastest.row));
      const others = { ...table, points: table.points.filter(point => point !== own) };
      // Use the first proposal with a measurement for this shape. `resolve` uses the first legal
      // proposal.
      const chosen = proposals({ problem, device, target }, [others])
        .map(({ schedule }) =>
          own.rates.find(rate => table.candidates[rate.candidate]?.schedule === schedule),
        )
        .find(rate => rate !== undefined);
      return chosen === undefined ? [] : [1 - chosen.row.gflops / fastest.row.gflops];
    }),
  );
  const sum = losses.reduce((total, loss) => total + loss, 0);
  return {
    mean: sum / Math.max(1, losses.length),
    worst: Math.max(0, ...losses),
    shapes: losses.length,
  };
}

const LEAST_POINTS = 20;

/**
 * Returns the model parameters with the smallest mean leave-one-out loss, from a grid of
 * parameters; the default model if there are too few points.
 */
export function fittedModel(rows: readonly DispatchRow[]): WaveModel {
  if (new Set(rows.map(pointKey)).size < LEAST_POINTS) return DEFAULT_WAVE_MODEL;
  let best = { model: DEFAULT_WAVE_MODEL, loss: leftOut(rows, DEFAULT_WAVE_MODEL).mean };
  for (const residency of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    for (const prologue of [0, 16, 32, 64, 128, 256]) {
      const model = { residency, prologue };
      const { mean: loss } = leftOut(rows, model);
      if (loss < best.loss - 1e-6) best = { model, loss };
    }
  }
  return best.model;
}

/** Returns whether the schedule is also legal in WGSL, which a spec without targets requires. */
const runsInWgsl = (row: DispatchRow): boolean => isLegal(resolve(specOf(row)), 'wgsl');

export function packedTable(rows: readonly DispatchRow[]): PackedTable {
  const picked = [...new Set([...pickSchedules(rows), ...pickSchedules(rows.filter(runsInWgsl))])];
  const kept = rows.filter(row => picked.includes(keyOf(row)));
  const [first] = kept;
  if (first === undefined) throw new Error('no records');
  const { device, target, types } = first;
  const heldOf = (key: string): DispatchRow | undefined =>
    kept.find(row => keyOf(row) === key && row.blocksPerSm !== undefined) ??
    kept.find(row => keyOf(row) === key);
  // The number of measured library algorithms differs by shape, so their names are merged.
  const names = [
    ...new Set(
      kept.flatMap(
        row => row.baseline?.name.replace(/fastest of \d+ algo/, 'fastest of up to 8 algo') ?? [],
      ),
    ),
  ];
  return {
    device,
    target,
    types,
    source: commonSource(kept),
    ...(names.length === 0 ? {} : { baseline: `the fastest of ${names.sort().join(', ')}` }),
    model: fittedModel(kept),
    schedules: picked.flatMap(key => {
      const held = heldOf(key);
      if (held === undefined) return [];
      const { schedule, blocksPerSm } = held;
      return [{ schedule, ...(blocksPerSm === undefined ? {} : { blocksPerSm }) }];
    }),
    points: [...grouped(kept, pointKey).values()].flatMap(same => {
      const [row] = same;
      if (row === undefined) return [];
      const { shape, layouts } = row;
      const library = Math.max(0, ...same.map(({ baseline: of }) => of?.gflops ?? 0));
      const gflops = picked.map(key =>
        same.reduce<number | null>(
          (most, each) => (keyOf(each) === key ? Math.max(most ?? 0, each.gflops) : most),
          null,
        ),
      );
      const line = packedLine({
        shape,
        layouts,
        gflops,
        ...(library > 0 ? { baselineGflops: library } : {}),
      });
      return line === undefined ? [] : [line];
    }),
  };
}

/** Merges the sources of all rows. A text field lists all distinct values; `clocks` is a range. */
function commonSource(rows: readonly DispatchRow[]): PackedTable['source'] {
  const of = (field: keyof DispatchRow['source']): string =>
    [...new Set(rows.flatMap(({ source }) => source[field] ?? []))].sort().join(', ');
  const clocks = rows.flatMap(({ source }) =>
    source.clocks === undefined ? [] : parseInt(source.clocks, 10),
  );
  const range = clocks.length === 0 ? '' : rangeText(Math.min(...clocks), Math.max(...clocks));
  const fields = {
    driver: of('driver'),
    compiler: of('compiler'),
    clocks: range,
    commit: of('commit'),
  };
  return {
    record: of('record'),
    ...Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== '')),
  };
}

const rangeText = (least: number, most: number): string =>
  least === most ? `${most} MHz` : `${least} to ${most} MHz`;
