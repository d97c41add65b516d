/**
 * Start schedules for a problem without a schedule: the fastest known schedule, which `resolve`
 * also selects, and every algorithm that is legal with default tiles.
 */
import { analyze } from '../report/analyze';
import { figure, type Figure } from '../text/figure';
import { isDeviceId } from '../hardware/devices';
import { emit } from '../kernel/emit';
import { isPlanned } from '../plan/fields';
import { isLegal, planIfLegal } from '../plan/planner';
import type { ResolvedSpec } from '../spec/resolved';
import { resolve, resolveWithOrigin, type ScheduleOrigin } from '../defaults/resolve';
import { ALGORITHMS, TARGETS, type Algorithm, type GemmSpec, type Target } from '../spec/schema';
import type { DispatchTable } from '../defaults/dispatch/table';

export type PartialSpec = Omit<GemmSpec, 'schedule' | 'targets'>;

export interface Start {
  readonly resolved: ResolvedSpec;
  /** Targets for which the schedule is legal; at least one. */
  readonly legal: readonly Target[];
}

export interface FastestStart extends Start {
  /**
   * Targets that the spec must list so that `resolve` selects this schedule; omitted if not
   * required.
   */
  readonly targets?: readonly Target[];
  /** Algorithm name, set if it is sufficient to select the schedule. */
  readonly algorithm?: Algorithm;
  /** Dispatch-table row of the schedule; null for a default schedule. */
  readonly found: ScheduleOrigin | null;
  /** Rate in TFLOP/s, measured for this device and shape, or else predicted; null if unknown. */
  readonly rate: Figure | null;
}

/**
 * Returns a list with the schedule that `resolve` selects for the default targets. A faster
 * CUDA-only schedule precedes it. If no table has a similar problem, a faster algorithm by
 * predicted rate precedes it instead. The list is empty if the selected schedule is not legal.
 */
export function fastestStarts(
  spec: PartialSpec,
  tables?: readonly DispatchTable[],
): readonly FastestStart[] {
  const common = fastestFor(spec, undefined, tables);
  if (common === null) return [];
  const cuda = common.legal.length === 1 ? null : fastestFor(spec, ['cuda'], tables);
  const isNew = common.found === null && (cuda?.found ?? null) === null;
  const other = isNew ? predictedStart(spec) : cuda;
  return other !== null && (other.rate?.value ?? 0) > (common.rate?.value ?? Infinity)
    ? [other, common]
    : [common];
}

function predictedStart(spec: PartialSpec): FastestStart | null {
  const [best = null] = algorithmStarts(spec)
    .map(({ resolved, legal }) => {
      const { algorithm } = resolved.schedule;
      return { resolved, legal, algorithm, found: null, rate: rateOf(resolved, null) };
    })
    .sort((one, other) => (other.rate?.value ?? 0) - (one.rate?.value ?? 0));
  return best;
}

function fastestFor(
  open: PartialSpec,
  targets: readonly Target[] | undefined,
  tables: readonly DispatchTable[] | undefined,
): FastestStart | null {
  const listed = targets === undefined ? {} : { targets: [...targets] };
  const { resolved, found } = resolveWithOrigin({ ...open, ...listed }, tables);
  const legal = legalTargets(resolved).filter(target => targets?.includes(target) !== false);
  if (legal.length === 0) return null;
  return { resolved, legal, found, rate: rateOf(resolved, found), ...listed };
}

export interface AlgorithmStart extends Start {
  readonly algorithm: Algorithm;
}

/**
 * Lists the algorithms that are legal with default tiles for the types and the device, simplest
 * first.
 */
export const algorithmStarts = (spec: PartialSpec): readonly AlgorithmStart[] =>
  ALGORITHMS.filter(isPlanned).flatMap(algorithm => {
    const resolved = resolve({ ...spec, schedule: { algorithm } });
    const legal = legalTargets(resolved);
    return legal.length === 0 ? [] : [{ algorithm, resolved, legal }];
  });

/** Tests whether the default schedule of the problem is legal for a target. */
export const hasStart = (spec: PartialSpec): boolean => legalTargets(resolve(spec)).length > 0;

const legalTargets = (resolved: ResolvedSpec): readonly Target[] =>
  TARGETS.filter(target => isLegal(resolved, target));

/**
 * Returns the rate that was measured on this device at this shape, or else the rate that the time
 * model predicts, as on the page. The table has the rate of kernels that the time model does not
 * cover.
 */
function rateOf(resolved: ResolvedSpec, found: ScheduleOrigin | null): Figure | null {
  const row = found === null || found.how === 'published' ? null : found;
  if (row?.how === 'measured' && row.kin === 'device')
    return figure(row.gflops / 1000, 'TFLOP/s', 'measured');
  const ofTable = row === null ? null : figure(row.gflops / 1000, 'TFLOP/s', 'derived');
  return predictedRate(resolved) ?? ofTable;
}

function predictedRate(resolved: ResolvedSpec): Figure | null {
  const plan = planIfLegal(resolved, 'cuda');
  const { device } = resolved;
  if (plan === null || !isDeviceId(device)) return null;
  return analyze(emit(plan), { device }).prediction?.tflops ?? null;
}
