/** The contract of the roofline: ceilings, ratios and points of one machine. */
import type { Figure } from '../text/figure';

export interface Ceiling {
  readonly name: string;
  readonly kind: 'compute' | 'memory';
  /** TFLOP/s for compute, GB/s for memory. */
  readonly value: number;
  readonly unit: 'TFLOP/s' | 'GB/s';
  readonly from: 'spec' | 'derived' | 'measured';
  /** Name of the machine. */
  readonly machine: string;
  /** Set for ceilings other than FMA lanes and DRAM; those do not affect `attainable`. */
  readonly of?: 'l2' | 'shared' | 'tensor';
}

export interface RooflinePoint {
  readonly name: string;
  readonly kind: 'attainable' | 'without-caches' | 'predicted' | 'measured';
  /** FLOP/B. */
  readonly intensity: number;
  readonly tflops: number;
  readonly from: Figure['from'];
  readonly machine: string;
  /** Measured points only: timing error from the resolution of the timer. */
  readonly errorPercent?: number;
  /** Measured points only: ISO 8601 time, if the run recorded it. */
  readonly at?: string;
}

export interface Roofline {
  readonly machine: string;
  readonly deviceRatio: Figure;
  readonly problemRatio: Figure;
  readonly kernelRatio: Figure;
  /**
   * `unknown` if the machine has no ceiling for the element type; ratios and `attainable` are then
   * NaN.
   */
  readonly bound: 'compute' | 'memory' | 'unknown';
  readonly attainable: Figure;
  readonly ceilings: readonly Ceiling[];
  readonly points: readonly RooflinePoint[];
}
