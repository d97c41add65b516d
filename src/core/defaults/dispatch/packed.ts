/**
 * Packed format of the shipped tables: a list of schedules, and one line per shape with the rate of
 * each schedule.
 */
import * as v from 'valibot';
import { findDevice } from '../../hardware/devices';
import { resolvedScheduleSchema } from '../../spec/resolvedSchema';
import { TARGETS } from '../../spec/schema';
import { shapeText, sourceSchema, typesSchema, type DispatchRow, type Shape } from './row';

/**
 * Format of a line, such as `1024x1024x1024 rrr 41034/38000 1000 974 - 612`. The first fields are
 * the shape with an optional batch count, and the layouts of A, B and C. The next field has the
 * rates of the fastest schedule and of the baseline library, in GFLOP/s. The remaining fields are
 * the rates of all schedules, in thousandths of the fastest rate. A missing value is written as
 * `-`.
 */
const LINE = /^(\d+(?:x\d+){2,3}) ([rc]{3}) (\d+(?:\.\d+)?)\/(\d+|-)((?: (?:\d+|-))+)$/;

export const packedSchema = v.strictObject({
  device: v.pipe(v.string(), v.maxLength(100)),
  target: v.picklist(TARGETS),
  types: typesSchema,
  source: sourceSchema,
  baseline: v.exactOptional(v.pipe(v.string(), v.maxLength(200))),
  /** Parameters of the wave model, fitted to these rows. */
  model: v.strictObject({
    residency: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
    prologue: v.pipe(v.number(), v.minValue(0), v.maxValue(10_000)),
  }),
  schedules: v.array(
    v.strictObject({
      schedule: resolvedScheduleSchema,
      blocksPerSm: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
    }),
  ),
  points: v.array(v.pipe(v.string(), v.regex(LINE))),
});
export type PackedTable = v.InferOutput<typeof packedSchema>;

export function unpacked(table: PackedTable): readonly DispatchRow[] {
  const { device, target, types, source, schedules, baseline: name } = table;
  const computeCapability = findDevice(device)?.computeCapability;
  const common = {
    device,
    target,
    types,
    source,
    ...(computeCapability === undefined ? {} : { computeCapability }),
  };
  return table.points.flatMap(line => {
    const [, sizes = '', layouts = '', best, library, shares = ''] = LINE.exec(line) ?? [];
    const [m = 1, n = 1, k = 1, batch = 1] = sizes.split('x').map(Number);
    const shape = { m, n, k, batch };
    const baseline =
      name === undefined || library === '-' ? {} : { baseline: { name, gflops: Number(library) } };
    return shares
      .trim()
      .split(' ')
      .flatMap((share, i): readonly DispatchRow[] => {
        const held = schedules[i];
        if (held === undefined || share === '-') return [];
        const gflops = (Number(best) * Number(share)) / 1000;
        return [{ ...common, ...held, layouts, shape, gflops, ...baseline }];
      });
  });
}

export interface PackedPoint {
  readonly shape: Shape;
  readonly layouts: string;
  /** Rate of each schedule in 1e9 FLOP/s; null if the schedule was not measured. */
  readonly gflops: readonly (number | null)[];
  readonly baselineGflops?: number;
}

/** Returns the line of a measured shape; undefined if no schedule was measured. */
export function packedLine(point: PackedPoint): string | undefined {
  const { shape, layouts, gflops, baselineGflops } = point;
  const best = Math.max(...gflops.map(rate => rate ?? 0));
  if (best <= 0) return undefined;
  const shares = gflops.map(rate => (rate === null ? '-' : Math.round((1000 * rate) / best)));
  const library = baselineGflops === undefined ? '-' : Math.round(baselineGflops);
  // Software adapters reach only a few GFLOP/s, so low rates keep three significant digits.
  const rate = best < 100 ? Number(best.toPrecision(3)) : Math.round(best);
  return [shapeText(shape), layouts, `${rate}/${library}`, ...shares].join(' ');
}
