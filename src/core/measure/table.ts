/** Looks up measured rates of the tutorial's ladder kernels. */
import type { DeviceId } from '../hardware/devices';
import { extent, OPERANDS, type ResolvedSpec } from '../spec/resolved';
import type { Schedule, Target } from '../spec/schema';
import { MEASURED } from './measured';

export interface MeasuredSchedule {
  readonly schedule: Schedule;
  /**
   * Rates in GFLOP/s from median times, by m = n = k. Row-major f32 with alpha 1, beta 0 and no
   * epilogue.
   */
  readonly gflops: Readonly<Record<number, number>>;
}

export interface MeasuredTable {
  /** Record files from which the table was generated. */
  readonly source: string;
  readonly device: DeviceId;
  readonly target: Target;
  readonly compiler: string;
  readonly rows: readonly MeasuredSchedule[];
}

/**
 * Rates at the measured problem size with the nearest FMA count. `exact` is true if `size` equals
 * m, n and k of the problem.
 */
export interface LadderRates {
  readonly size: number;
  readonly exact: boolean;
  readonly rows: readonly { readonly schedule: Schedule; readonly gflops: number }[];
}

/** Returns the rates, or null if no comparable problem was measured on this device. */
export function ladderRates({ problem, device }: ResolvedSpec, target: Target): LadderRates | null {
  const { accumulator, alpha, beta, epilogue, batch, m, n, k } = problem;
  const table = MEASURED.find(known => known.device === device && known.target === target);
  const alike =
    OPERANDS.every(name => {
      const { dtype, layout, ld } = problem[name];
      return dtype === 'f32' && layout === 'row' && ld === extent(problem, name).columns;
    }) &&
    accumulator === 'f32' &&
    alpha === 1 &&
    beta === 0 &&
    epilogue === undefined &&
    batch === 1;
  if (table === undefined || !alike) return null;
  const sizes = new Set(table.rows.flatMap(({ gflops }) => Object.keys(gflops).map(Number)));
  const distance = (size: number) => Math.abs(Math.log((m * n * k) / size ** 3));
  const [size] = [...sizes].sort((left, right) => distance(left) - distance(right));
  if (size === undefined) return null;
  const rows = table.rows.flatMap(({ schedule, gflops: { [size]: gflops } }) =>
    gflops === undefined ? [] : [{ schedule, gflops }],
  );
  return { size, exact: m === size && n === m && k === m, rows };
}
