/** The contract of the occupancy model: resident blocks, and waves of them. */
import type { Figure } from '../text/figure';

export interface OccupancyReport {
  /** That run at a time. */
  readonly blocksPerSm: number;
  /** That an SM could hold: more where the launch makes fewer. */
  readonly heldPerSm: number;
  readonly activeWarps: number;
  readonly maxWarps: number;
  /** Active warps of maximum warps, 0..1. */
  readonly occupancy: number;
  readonly limiters: readonly string[];
  /** Blocks an SM could hold if that resource alone counted, and those of the `launch` where it makes fewer. */
  readonly limits: Readonly<Record<string, number>>;
  readonly registers: Figure;
  readonly sharedBytes: Figure;
  readonly threads: number;
}

export interface Waves {
  /** Blocks of the grid: tiles of C, of every product of a batch and every part of K. */
  readonly tiles: number;
  readonly blocksPerWave: number;
  readonly waves: number;
  /** Blocks over the block slots of all waves, 0..1. Slots that stay empty are occupancy, not idle SMs. */
  readonly efficiency: number;
  /** Of the multiply-adds of whole tiles, those outside of C and K. */
  readonly paddingFlopFraction: number;
  readonly paddingFlops: Figure;
  /** The last wave: its blocks, and its blocks over its block slots, 0..1. */
  readonly tail: { readonly blocks: Figure; readonly efficiency: Figure };
  /** Load balance over SMs: blocks of the average SM over those of the busiest SM, 0..1. */
  readonly balance: Figure;
}

/** Compiler facts of a kernel text; they replace the estimates. */
export interface CompiledResources {
  readonly registers: number;
  readonly sharedBytes: number;
  readonly spillStores?: number;
  readonly spillLoads?: number;
}
