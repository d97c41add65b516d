/**
 * `mma` with `kernelSchedule` `tma`: one warp group loads tiles with TMA, as in the same schedule
 * of `wgmma`, and multiplies them with `mma.sync`. Its plan is in the `wgmma` family.
 */
import type { Schedule } from '../../spec/schema';
import type { DType } from '../../types/dtype';

type Scheduled = Pick<Schedule, 'algorithm' | 'kernelSchedule'>;

/** Returns whether an `mma` kernel loads its tiles with TMA. */
export const isTmaMma = ({ algorithm, kernelSchedule }: Scheduled): boolean =>
  algorithm === 'mma' && kernelSchedule === 'tma';

/** Returns whether warp groups compute the tiles, which TMA loads: the `wgmma` family. */
export const hasWarpGroups = (schedule: Scheduled): boolean =>
  schedule.algorithm === 'wgmma' || isTmaMma(schedule);

/** Returns the name of the schedule in messages. */
export const warpGroupName = (schedule: Scheduled): string =>
  isTmaMma(schedule) ? 'mma with kernelSchedule tma' : 'wgmma';

/**
 * Element types of A and B. The 32 bytes of K of each instruction have the same fragment layout for
 * all of them. FP8 is not one of them, because `mma.sync` converts it to f16 on Hopper.
 */
export const TMA_MMA_TYPES: readonly DType[] = ['bf16', 'f16', 'tf32'];

/** Rows and columns of an `mma.sync` instruction (PTX ISA, "mma"). */
export const MMA_SIDES = { m: 16, n: 8 } as const;

/** Columns of B that one `ldmatrix` loads, so that BN must be a multiple. */
export const MMA_COLUMNS = 16;
