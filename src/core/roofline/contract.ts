/** Defines the roofline of one machine: ceilings, ratios and points. */
import type { Figure } from '../text/figure';

export interface Ceiling {
  readonly name: string;
  readonly kind: 'compute' | 'memory';
  readonly value: number;
  readonly unit: 'TFLOP/s' | 'GB/s';
  readonly from: 'spec' | 'derived' | 'measured';
  readonly machine: string;
  /**
   * Set for measured ceilings of L2, shared memory and tensor cores, which do not affect
   * `attainable`.
   */
  readonly of?: 'l2' | 'shared' | 'tensor';
}

export interface RooflinePoint {
  readonly name: string;
  readonly kind: 'attainable' | 'without-caches' | 'predicted' | 'measured';
  /** Arithmetic intensity in FLOP/B. */
  readonly intensity: number;
  readonly tflops: number;
  readonly from: Figure['from'];
  readonly machine: string;
  /** Timing error due to the timer resolution, in percent. Measured points only. */
  readonly errorPercent?: number;
  /** 95 % interval of the rate in TFLOP/s, if known. Measured points only. */
  readonly interval?: readonly [low: number, high: number];
  /** Time of the run in ISO 8601, if recorded. Measured points only. */
  readonly at?: string;
  /** Share of the time of a workload, 0..1, which sets the size of the point. */
  readonly share?: number;
}

export interface Roofline {
  readonly machine: string;
  readonly deviceRatio: Figure;
  readonly problemRatio: Figure;
  readonly kernelRatio: Figure;
  /**
   * `unknown` if the machine has no compute ceiling or no memory ceiling. `deviceRatio` and
   * `attainable` are then NaN.
   */
  readonly bound: 'compute' | 'memory' | 'unknown';
  readonly attainable: Figure;
  readonly ceilings: readonly Ceiling[];
  readonly points: readonly RooflinePoint[];
}
