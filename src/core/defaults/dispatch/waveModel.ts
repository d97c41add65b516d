/**
 * What the shape alone makes of a schedule's rate: rounds of blocks, tiles that hang over the edges of C, K that is not
 * whole tiles, and what a block does beside its multiply-adds. Rates over this are alike from shape to shape, so that
 * those of measured shapes say something of the others.
 */
import type { ResolvedSchedule } from '../../spec/resolved';
import type { Shape } from './row';
import { tileCount } from '../../plan/tileCount';

/** Fitted to a table's own rows (scripts/dispatchTable.ts). */
export interface WaveModel {
  /**
   * How much fewer resident blocks slow an SM down: r of b blocks run at (r / b) ** residency of its full rate. 0: one block
   * fills it; 1: it takes them all.
   */
  readonly residency: number;
  /** What a block takes beside its products, in steps of K. */
  readonly prologue: number;
}

export const DEFAULT_WAVE_MODEL: WaveModel = { residency: 0.4, prologue: 32 };

export interface Held {
  readonly schedule: ResolvedSchedule;
  /** 1 where it is not known. */
  readonly blocksPerSm: number;
}

/** The share of a schedule's rate that is left at this shape: 0..1. */
export function waveEfficiency(
  { m, n, k, batch }: Shape,
  { schedule, blocksPerSm }: Held,
  multiprocessors: number,
  { residency, prologue }: WaveModel,
): number {
  const { block = {}, splitK = 1 } = schedule;
  const { m: tileM = 1, n: tileN = 1, k: tileK = 1 } = block;
  const along = tileCount({ m, n }, { m: tileM, n: tileN });
  const tiles = along.m * along.n * batch * splitK;
  const depth = Math.ceil(Math.ceil(k / splitK) / tileK) * tileK + prologue;
  const ofSm = Math.ceil(tiles / multiprocessors);
  const rest = ofSm % blocksPerSm;
  const turns = ofSm - rest + rest ** (1 - residency) * (rest === 0 ? 0 : blocksPerSm ** residency);
  return (m * n * k * batch) / (turns * multiprocessors * tileM * tileN * depth);
}
