/** Occupancy of a launch as a report, whose resources have their origin. */
import type { KernelFamily } from '../plan/plan';
import { figure, type Figure } from '../text/figure';
import { launchedOccupancy } from './launchedOccupancy';
import type { OccupancyInput } from './occupancy';
import type { OccupancyReport } from './report';

/**
 * Returns null if the launch exceeds a limit of the device. `plan` is null for a kernel without a
 * spec; `from` is the origin of the registers and the shared memory.
 */
export function occupancyReport(
  plan: KernelFamily | null,
  launch: OccupancyInput,
  from: Figure['from'],
): OccupancyReport | null {
  const result = launchedOccupancy(plan, launch);
  if (!result.ok) return null;
  const { blocksPerSm, heldPerSm, activeWarps, maxWarps, limiters, limits, occupancy } =
    result.occupancy;
  return {
    blocksPerSm,
    heldPerSm,
    activeWarps,
    maxWarps,
    occupancy,
    limiters,
    limits,
    registers: figure(launch.registersPerThread, 'registers', from),
    sharedBytes: figure(launch.sharedBytesPerBlock, 'B', from),
    threads: launch.threadsPerBlock,
  };
}
