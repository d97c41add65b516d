/**
 * Occupancy of a kernel as it is launched: persistent blocks (`wgmma`) are one a multiprocessor and stay for all tiles, so that
 * room for further ones is left empty. What the hardware could hold stays beside it.
 */
import type { KernelFamily } from '../plan/plan';
import { isPersistent } from '../plan/wgmma/wgmma';
import { occupancy, type Occupancy, type OccupancyError, type OccupancyInput } from './occupancy';

export interface LaunchedOccupancy extends Pick<
  Occupancy,
  'blocksPerSm' | 'activeWarps' | 'maxWarps' | 'occupancy'
> {
  /** Blocks that an SM could hold; more than `blocksPerSm` where the launch makes fewer. */
  readonly heldPerSm: number;
  /** Resources of an SM, or the launch where that makes fewer blocks than an SM could hold. */
  readonly limiters: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

export type LaunchedResult =
  | { readonly ok: true; readonly occupancy: LaunchedOccupancy }
  | { readonly ok: false; readonly error: OccupancyError };

/** Blocks that a launch makes for each multiprocessor at a time. */
export const launchedPerSm = (plan: KernelFamily): number =>
  plan.family === 'wgmma' && isPersistent(plan.wgmma) ? 1 : Infinity;

/** `plan`: null of a text that no spec gives. */
export function launchedOccupancy(
  plan: KernelFamily | null,
  input: OccupancyInput,
): LaunchedResult {
  const held = occupancy(input);
  if (!held.ok) return held;
  const { blocksPerSm: heldPerSm, limits, maxWarps, ...of } = held.occupancy;
  const launch = plan === null ? Infinity : launchedPerSm(plan);
  if (launch >= heldPerSm) {
    return { ok: true, occupancy: { ...held.occupancy, heldPerSm } };
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
