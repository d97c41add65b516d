/** Schedules that were measured and ship with the product: which was fastest, for what, and on which device. */
import type { DeviceId } from '../device/devices';
import { extent, OPERANDS, type ResolvedSpec } from '../spec/resolved';
import type { Schedule, Target } from '../spec/schema';
import { MEASURED } from './measured';

export interface MeasuredRow {
  /** m = n = k, row-major f32, alpha 1, beta 0. */
  readonly size: number;
  readonly schedule: Schedule;
  /** Whole GFLOP/s, from the median time. */
  readonly gflops: number;
}

export interface MeasuredTable {
  /** The recorded measurements it was made from. */
  readonly source: string;
  readonly device: DeviceId;
  readonly target: Target;
  readonly compiler: string;
  readonly rows: readonly MeasuredRow[];
}

/** The fastest schedule of the measured size that is nearest; `exact` where it is the problem's own. */
export interface TableBest extends MeasuredRow {
  readonly table: MeasuredTable;
  readonly exact: boolean;
}

/** Null where nothing like this problem was measured on this device. */
export function tableBest({ problem, device }: ResolvedSpec, target: Target): TableBest | null {
  const { accumulator, alpha, beta, batch, m, n, k } = problem;
  const table = MEASURED.find(known => known.device === device && known.target === target);
  const alike =
    OPERANDS.every(name => {
      const { dtype, layout, ld } = problem[name];
      return dtype === 'f32' && layout === 'row' && ld === extent(problem, name).columns;
    }) &&
    accumulator === 'f32' &&
    alpha === 1 &&
    beta === 0 &&
    batch === 1;
  if (table === undefined || !alike) return null;
  const distance = (size: number) => Math.abs(Math.log((m * n * k) / size ** 3));
  const [nearest] = [...new Set(table.rows.map(({ size }) => size))].sort(
    (left, right) => distance(left) - distance(right),
  );
  const [best] = table.rows
    .filter(({ size }) => size === nearest)
    .sort((left, right) => right.gflops - left.gflops);
  if (best === undefined) return null;
  return { ...best, table, exact: m === best.size && n === m && k === m };
}
