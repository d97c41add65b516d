/** Schedules that were measured and ship with the product: which was fastest, for what, and on which device. */
import type { DeviceId } from '../device/devices';
import { extent, OPERANDS, type ResolvedProblem, type ResolvedSpec } from '../spec/resolved';
import type { Schedule, Target } from '../spec/schema';
import { MEASURED } from './measured';

export interface MeasuredSchedule {
  readonly schedule: Schedule;
  /** Whole GFLOP/s, from the median time, by m = n = k: row-major f32, alpha 1, beta 0. */
  readonly gflops: Readonly<Record<number, number>>;
}

export interface MeasuredTable {
  /** The recorded measurements it was made from. */
  readonly source: string;
  readonly device: DeviceId;
  readonly target: Target;
  readonly compiler: string;
  readonly rows: readonly MeasuredSchedule[];
}

/** The fastest schedule of the measured size that is nearest; `exact` where it is the problem's own. */
export interface TableBest {
  readonly size: number;
  readonly schedule: Schedule;
  readonly gflops: number;
  readonly table: MeasuredTable;
  readonly exact: boolean;
}

export const tableOf = (device: string, target: Target): MeasuredTable | undefined =>
  MEASURED.find(known => known.device === device && known.target === target);

const sizesOf = ({ rows }: MeasuredTable): readonly number[] => [
  ...new Set(rows.flatMap(({ gflops }) => Object.keys(gflops).map(Number))),
];

/** Of the measured size that is nearest in multiply-adds, the fastest first. */
function nearestRows(
  table: MeasuredTable,
  { m, n, k }: Pick<ResolvedProblem, 'm' | 'n' | 'k'>,
): readonly Omit<TableBest, 'table' | 'exact'>[] {
  const distance = (size: number) => Math.abs(Math.log((m * n * k) / size ** 3));
  const [size = 0] = sizesOf(table).toSorted((left, right) => distance(left) - distance(right));
  return table.rows
    .flatMap(({ schedule, gflops: { [size]: gflops } }) =>
      gflops === undefined ? [] : [{ size, schedule, gflops }],
    )
    .sort((left, right) => right.gflops - left.gflops);
}

/** Null where nothing like this problem was measured on this device. */
export function tableBest({ problem, device }: ResolvedSpec, target: Target): TableBest | null {
  const { accumulator, alpha, beta, batch, m, n, k } = problem;
  const table = tableOf(device, target);
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
  const [best] = nearestRows(table, problem);
  if (best === undefined) return null;
  return { ...best, table, exact: m === best.size && n === m && k === m };
}

/** Measured sizes say nothing of problems with sides less than half of theirs. */
const LEAST_SHARE = 0.5;

/**
 * The schedule of a spec that names none: the fastest that was measured on its device for the first of its targets, at
 * the nearest size, of those that `isLegal`. Null where nothing of it is known: another device, elements or sums other
 * than f32, sides of C less than half of the smallest measured ones, or nothing legal.
 */
export function measuredSchedule(
  { problem, device }: Pick<ResolvedSpec, 'problem' | 'device'>,
  [target]: readonly Target[],
  isLegal: (schedule: Schedule) => boolean,
): Schedule | null {
  const table = target === undefined ? undefined : tableOf(device, target);
  const types = [...OPERANDS.map(name => problem[name].dtype), problem.accumulator];
  if (table === undefined || types.some(dtype => dtype !== 'f32')) return null;
  const least = Math.min(...sizesOf(table)) * LEAST_SHARE;
  if (Math.min(problem.m, problem.n) < least) return null;
  return nearestRows(table, problem).find(({ schedule }) => isLegal(schedule))?.schedule ?? null;
}
