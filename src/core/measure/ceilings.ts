/**
 * When a measured ceiling is doubtful: other work on a machine only ever lowers what its micro-benchmarks reach,
 * and nothing computes faster than the machine. (Faster than its memory is no contradiction: there are caches.)
 */
import type { MeasuredCeilings, Timing } from './measurement';

/** Whether a run computed more than the ceiling allows, beyond what its timer may be wrong by. */
export function isAboveCeiling(
  { gflops, errorPercent }: Pick<Timing, 'gflops' | 'errorPercent'>,
  ceilings: Pick<MeasuredCeilings, 'gflops'>,
): boolean {
  return ceilings.gflops !== undefined && gflops * (1 - errorPercent / 100) > ceilings.gflops;
}

/** Of two measurements of one machine, what it is known to reach. */
export function higherCeilings(one: MeasuredCeilings, other: MeasuredCeilings): MeasuredCeilings {
  const [gflops, bandwidthGBps] = (['gflops', 'bandwidthGBps'] as const).map(name =>
    Math.max(one[name] ?? 0, other[name] ?? 0),
  );
  return {
    ...other,
    ...(gflops ? { gflops } : {}),
    ...(bandwidthGBps ? { bandwidthGBps } : {}),
  };
}
