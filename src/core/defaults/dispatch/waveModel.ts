/**
 * Shape-dependent efficiency of a schedule: wave quantization, partial tiles at the boundaries of
 * C, the K remainder, and block overhead outside the main loop. Rates divided by this efficiency
 * vary little between shapes, so measured shapes predict others.
 */
import type { ResolvedSchedule } from '../../spec/resolved';
import type { Shape } from './row';
import { tileCount } from '../../plan/tileCount';

/** Parameters that scripts/dispatchTable.ts fits to the rows of a dispatch table. */
export interface WaveModel {
  /**
   * Slowdown with fewer resident blocks: r of b blocks run at (r / b) ** residency of the SM's full
   * rate. 0: one block fills the SM; 1: all blocks are needed.
   */
  readonly residency: number;
  /** Block overhead outside the main loop, in equivalent elements of K. */
  readonly prologue: number;
}

export const DEFAULT_WAVE_MODEL: WaveModel = { residency: 0.4, prologue: 32 };

export interface ScheduleResidency {
  readonly schedule: ResolvedSchedule;
  /** Resident blocks; 1 if unknown. */
  readonly blocksPerSm: number;
}

/** Returns the fraction of a schedule's rate that remains at this shape, 0..1. */
export function waveEfficiency(
  { m, n, k, batch }: Shape,
  { schedule, blocksPerSm }: ScheduleResidency,
  smCount: number,
  { residency, prologue }: WaveModel,
): number {
  const { block = {}, splitK = 1 } = schedule;
  const { m: tileM = 1, n: tileN = 1, k: tileK = 1 } = block;
  const along = tileCount({ m, n }, { m: tileM, n: tileN });
  const tiles = along.m * along.n * batch * splitK;
  const depth = Math.ceil(Math.ceil(k / splitK) / tileK) * tileK + prologue;
  const blocksOfBusiestSm = Math.ceil(tiles / smCount);
  const rest = blocksOfBusiestSm % blocksPerSm;
  const effectiveRounds =
    blocksOfBusiestSm -
    rest +
    rest ** (1 - residency) * (rest === 0 ? 0 : blocksPerSm ** residency);
  return (m * n * k * batch) / (effectiveRounds * smCount * tileM * tileN * depth);
}
