/**
 * Warp specialization of `wgmma`: a producer warp group loads the tiles that consumer warp groups
 * multiply. With `kernelSchedule` `tma`, one warp group does both.
 */
import type { WgmmaPlan } from './wgmmaPlan';

type Scheduled = Pick<WgmmaPlan, 'kernelSchedule'>;

/** Bytes per mbarrier. */
const MBARRIER_BYTES = 8;
/** Bytes of barriers per stage with a producer: the mbarriers "full" and "empty". */
export const BARRIER_BYTES = 2 * MBARRIER_BYTES;

/** Returns whether a producer warp group loads the tiles, so that other warp groups multiply. */
export const isSpecialized = ({ kernelSchedule }: Scheduled): boolean => kernelSchedule !== 'tma';

/** Returns the number of warp groups before the first consumer: the producer, if there is one. */
export const producersOf = (plan: Scheduled): 0 | 1 => (isSpecialized(plan) ? 1 : 0);

/** Returns the bytes of barriers per stage. Without a producer, "empty" is not needed. */
export const barrierBytes = (plan: Scheduled): number =>
  isSpecialized(plan) ? BARRIER_BYTES : MBARRIER_BYTES;

/**
 * Returns whether blocks loop over tiles. Without warp specialization, a block computes one tile.
 * If clusters reduce split-K slices, it computes one slice of one tile.
 */
export const isPersistent = (plan: Scheduled & Pick<WgmmaPlan, 'splitK'>): boolean =>
  plan.splitK === 1 && isSpecialized(plan);
