/**
 * Start schedules for a problem without one: the fastest known schedule, which is also the default
 * of `resolve`, and every algorithm that is legal with its default tiles, simplest first.
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

/** A problem without schedule and targets. */
export type PartialSpec = Omit<GemmSpec, 'schedule' | 'targets'>;

export interface Start {
  readonly resolved: ResolvedSpec;
  /** At least one target. */
  readonly legal: readonly Target[];
}

export interface FastestStart extends Start {
  /** Targets for which `resolve` returns this schedule; omitted: any. */
  readonly targets?: readonly Target[];
  /** Set if the algorithm name is sufficient to select the schedule. */
  readonly algorithm?: Algorithm;
  /** Table row of the schedule; null for a default. */
  readonly found: ScheduleOrigin | null;
  /** TFLOP/s measured on this device and shape, otherwise predicted; null without either. */
  readonly rate: Figure | null;
}

/**
 * Returns the schedules that `resolve` selects for the spec: for its default targets, and for CUDA
 * only if that permits a faster schedule. If no table has a similar problem, the algorithm with the
 * best predicted rate precedes the default. Fastest first; empty if nothing is legal.
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
 * Lists every algorithm that types and device support with default tiles, each building on the
 * previous algorithm.
 */
export const algorithmStarts = (spec: PartialSpec): readonly AlgorithmStart[] =>
  ALGORITHMS.filter(isPlanned).flatMap(algorithm => {
    const resolved = resolve({ ...spec, schedule: { algorithm } });
    const legal = legalTargets(resolved);
    return legal.length === 0 ? [] : [{ algorithm, resolved, legal }];
  });

/** Tests whether a kernel can be generated for the problem. */
export const hasStart = (spec: PartialSpec): boolean => legalTargets(resolve(spec)).length > 0;

const legalTargets = (resolved: ResolvedSpec): readonly Target[] =>
  TARGETS.filter(target => isLegal(resolved, target));

function rateOf(resolved: ResolvedSpec, found: ScheduleOrigin | null): Figure | null {
  if (found !== null && found.how !== 'published') {
    const isMeasured = found.how === 'measured' && found.kin === 'device';
    return figure(found.gflops / 1000, 'TFLOP/s', isMeasured ? 'measured' : 'derived');
  }
  const plan = planIfLegal(resolved, 'cuda');
  const { device } = resolved;
  if (plan === null || !isDeviceId(device)) return null;
  return analyze(emit(plan), { device }).prediction?.tflops ?? null;
}
