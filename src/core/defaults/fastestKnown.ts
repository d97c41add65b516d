/** Fastest known schedule for a problem, with the library rate of the same run. */
import type { Figure } from '../text/figure';
import { resolveWithOrigin } from './resolve';
import { specKey } from '../plan/specKey';
import type { ResolvedSchedule } from '../spec/resolved';
import type { GemmSpec } from '../spec/schema';

export interface FastestKnown {
  readonly schedule: ResolvedSchedule;
  /** Rate in GFLOP/s: measured at this shape, or predicted. */
  readonly rate: Figure;
  /** Whether the spec has this schedule. */
  readonly inUse: boolean;
  /** Library measured at this shape in the same session; null if none was. */
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
  const own = resolveWithOrigin(spec).resolved;
  const rateOf = (value: number, from: Figure['from']): Figure => ({
    value,
    unit: 'GFLOP/s',
    from,
  });
  return {
    schedule: found.schedule,
    rate: rateOf(gflops, how === 'measured' ? 'measured' : 'derived'),
    inUse: specKey({ ...resolved, targets: own.targets }) === specKey(own),
    library:
      found.how === 'measured' && found.row.baseline !== undefined
        ? { name: found.row.baseline.name, rate: rateOf(found.row.baseline.gflops, 'measured') }
        : null,
  };
}
