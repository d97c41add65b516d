/** The contract of the occupancy model: resident blocks, and waves of them. */
import type { Figure } from '../text/figure';

export interface OccupancyReport {
  /** Concurrent blocks per SM. */
  readonly blocksPerSm: number;
  /** Blocks that fit on an SM; more than `blocksPerSm` if the launch has fewer. */
  readonly heldPerSm: number;
  readonly activeWarps: number;
  readonly maxWarps: number;
  /** Active warps divided by maximum warps, 0..1. */
  readonly occupancy: number;
  readonly limiters: readonly string[];
  /** Blocks per SM if only that resource counted; includes `launch` if the launch has fewer. */
  readonly limits: Readonly<Record<string, number>>;
  readonly registers: Figure;
  readonly sharedBytes: Figure;
  readonly threads: number;
}

export interface Waves {
  /** Blocks of the grid: tiles of C, for every batch entry and split-K slice. */
  readonly tiles: number;
  readonly blocksPerWave: number;
  readonly waves: number;
  /**
   * Blocks divided by the block slots of all waves, 0..1. Empty slots reduce occupancy; the SMs are
   * not idle.
   */
  readonly efficiency: number;
  /** Share of the FMAs that full tiles compute outside C and K. */
  readonly paddingFlopFraction: number;
  readonly paddingFlops: Figure;
  /** The last wave: its blocks, and its blocks divided by its block slots, 0..1. */
  readonly tail: { readonly blocks: Figure; readonly efficiency: Figure };
  /** Load balance over SMs: average blocks per SM divided by the blocks of the busiest SM, 0..1. */
  readonly balance: Figure;
}

/** Compiler-reported resources, which replace the estimates. */
export interface CompiledResources {
  readonly registers: number;
  readonly sharedBytes: number;
  readonly spillStores?: number;
  readonly spillLoads?: number;
}
