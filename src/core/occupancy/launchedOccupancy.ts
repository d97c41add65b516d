/**
 * Computes the occupancy of a kernel as launched. A persistent kernel (`wgmma`) launches one block
 * per SM that loops over tiles, even if more blocks would fit. The hardware limit is reported
 * separately.
 */
import type { KernelFamily } from '../plan/plan';
import { isPersistent } from '../plan/wgmma/specialization';
import { occupancy, type Occupancy, type OccupancyError, type OccupancyInput } from './occupancy';

export interface LaunchedOccupancy extends Pick<
  Occupancy,
  'blocksPerSm' | 'activeWarps' | 'maxWarps' | 'occupancy'
> {
  /** Blocks that fit on an SM. Exceeds `blocksPerSm` if the launch has fewer blocks. */
  readonly heldPerSm: number;
  /**
   * Resources that limit the resident blocks, or `launch` if the launch has fewer blocks than would
   * fit.
   */
  readonly limiters: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

export type LaunchedResult =
  | { readonly ok: true; readonly occupancy: LaunchedOccupancy }
  | { readonly ok: false; readonly error: OccupancyError };

/**
 * Returns the maximum number of blocks per SM that the launch creates, or Infinity if the launch
 * sets no limit.
 */
export const launchedPerSm = (plan: KernelFamily): number =>
  plan.family === 'wgmma' && isPersistent(plan.wgmma) ? 1 : Infinity;

/** Computes the occupancy of a launch. `plan` is null for a kernel without a spec. */
export function launchedOccupancy(
  plan: KernelFamily | null,
  input: OccupancyInput,
): LaunchedResult {
  const limit = occupancy(input);
  if (!limit.ok) return limit;
  const { blocksPerSm: heldPerSm, limits, maxWarps, ...of } = limit.occupancy;
  const launch = plan === null ? Infinity : launchedPerSm(plan);
  if (launch >= heldPerSm) {
    return { ok: true, occupancy: { ...limit.occupancy, heldPerSm } };
  }
  const activeWarps = (of.activeWarps / heldPerSm) * launch;
  return {
    ok: true,
    occupancy: {
      blocksPerSm: launch,
      heldPerSm,
      activeWarps,
      maxWarps,
      occupancy: activeWarps / maxWarps,
      limiters: ['launch'],
      limits: { ...limits, launch },
    },
  };
}
