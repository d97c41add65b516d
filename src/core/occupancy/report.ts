/** Defines the results of the occupancy model: resident blocks and waves. */
import type { Figure } from '../text/figure';

export interface OccupancyReport {
  readonly blocksPerSm: number;
  /** Blocks that fit on an SM. Exceeds `blocksPerSm` if the launch has fewer blocks. */
  readonly heldPerSm: number;
  readonly activeWarps: number;
  readonly maxWarps: number;
  /** Active warps divided by the maximum warps per SM, 0..1. */
  readonly occupancy: number;
  readonly limiters: readonly string[];
  /**
   * Blocks per SM that each resource would allow if it were the only limit. Includes `launch` if
   * the launch has fewer blocks.
   */
  readonly limits: Readonly<Record<string, number>>;
  readonly registers: Figure;
  readonly sharedBytes: Figure;
  readonly threads: number;
}

export interface Waves {
  /** Blocks in the grid, including all batch entries and split-K slices. */
  readonly tiles: number;
  readonly blocksPerWave: number;
  readonly waves: number;
  /**
   * Blocks divided by the block slots of all waves, 0..1. Empty slots lower the occupancy, but do
   * not necessarily leave SMs idle.
   */
  readonly efficiency: number;
  /** Fraction of the executed FMAs that are outside C or beyond K. */
  readonly paddingFlopFraction: number;
  readonly paddingFlops: Figure;
  /** Last wave: number of blocks, and blocks divided by block slots, 0..1. */
  readonly tail: { readonly blocks: Figure; readonly efficiency: Figure };
  /** Load balance: average blocks per SM divided by the blocks of the busiest SM, 0..1. */
  readonly balance: Figure;
}

export interface CompiledResources {
  readonly registers: number;
  readonly sharedBytes: number;
  readonly spillStores?: number;
  readonly spillLoads?: number;
}
