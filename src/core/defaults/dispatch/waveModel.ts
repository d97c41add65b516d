/**
 * Shape-dependent efficiency of a schedule: wave quantization, partial tiles at the boundaries of
 * C, the K remainder, and the prologue and epilogue of each block.
 */
import type { ResolvedSchedule } from '../../spec/resolved';
import type { Shape } from './row';
import { tileCount } from '../../plan/tileCount';

/** Model parameters, fitted to the rows of a dispatch table by scripts/dispatchTable.ts. */
export interface WaveModel {
  /**
   * Exponent of the SM rate with fewer resident blocks: r of b blocks reach (r / b) ** residency of
   * the full rate. At 0, one block fills the SM; at 1, all blocks are needed.
   */
  readonly residency: number;
  /** Prologue and epilogue of a block, as an equivalent number of K elements. */
  readonly prologue: number;
}

export const DEFAULT_WAVE_MODEL: WaveModel = { residency: 0.4, prologue: 32 };

export interface ScheduleResidency {
  readonly schedule: ResolvedSchedule;
  /** Number of resident blocks per SM; 1 if unknown. */
  readonly blocksPerSm: number;
}

/** Returns an efficiency above 0 and at most 1. */
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
