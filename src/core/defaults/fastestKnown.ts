/** Fastest known schedule for a problem, with the library rate of the same run. */
import type { Figure } from '../text/figure';
import type { DispatchRow } from './dispatch/row';
import { resolveWithOrigin, type ScheduleOrigin } from './resolve';
import { specKey } from '../plan/specKey';
import type { ResolvedSchedule } from '../spec/resolved';
import type { GemmSpec } from '../spec/schema';

export interface FastestKnown {
  readonly schedule: ResolvedSchedule;
  /**
   * Rate in GFLOP/s: measured at this shape, or predicted. The rate of a kernel without the
   * epilogue counts as predicted.
   */
  readonly rate: Figure;
  /** Whether the spec has this schedule. */
  readonly inUse: boolean;
  /** Library measured at this shape in the same session; null if none was or with an epilogue. */
  readonly library: { readonly name: string; readonly rate: Figure } | null;
}

/**
 * Returns the fastest legal schedule for the problem, the device and the targets of `spec`. It is
 * from the dispatch tables or from the time model. Returns null if this device has neither.
 */
export function fastestKnown(spec: GemmSpec): FastestKnown | null {
  const { resolved, found } = resolveWithOrigin({ ...spec, schedule: undefined });
  if (found === null || found.how === 'published') return null;
  if ('kin' in found && found.kin !== 'device') return null;
  const { how, gflops } = found;
  const isFused = resolved.problem.epilogue !== undefined;
  const baseline = isFused ? undefined : measuredAt(found)?.baseline;
  const own = resolveWithOrigin(spec).resolved;
  const rateOf = (value: number, from: Figure['from']): Figure => ({
    value,
    unit: 'GFLOP/s',
    from,
  });
  return {
    schedule: found.schedule,
    rate: rateOf(gflops, how === 'measured' && !isFused ? 'measured' : 'derived'),
    inUse: specKey({ ...resolved, targets: own.targets }) === specKey(own),
    library:
      baseline === undefined
        ? null
        : { name: baseline.name, rate: rateOf(baseline.gflops, 'measured') },
  };
}

/** Returns the measurement at the shape of a spec; undefined if there is none. */
function measuredAt(found: ScheduleOrigin): DispatchRow | undefined {
  switch (found.how) {
    case 'measured':
      return found.row;
    case 'predicted':
      return found.shortBatches;
    case 'model':
    case 'published':
      return undefined;
  }
}
