/** The contract of the roofline: ceilings, ratios and points of one machine. */
import type { Figure } from '../text/figure';

export interface Ceiling {
  readonly name: string;
  readonly kind: 'compute' | 'memory';
  /** TFLOP/s for compute, GB/s for memory. */
  readonly value: number;
  readonly unit: 'TFLOP/s' | 'GB/s';
  readonly from: 'spec' | 'derived' | 'measured';
  /** The machine it belongs to. */
  readonly machine: string;
  /** What else than ordinary lanes and DRAM, which alone decide what is attainable. */
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
  /** Of a measured point: what the timer's step allows on its time. */
  readonly errorPercent?: number;
  /** Of a measured point: ISO 8601, where the run recorded it. */
  readonly at?: string;
}

export interface Roofline {
  readonly machine: string;
  readonly deviceRatio: Figure;
  readonly problemRatio: Figure;
  readonly kernelRatio: Figure;
  /** Unknown where the machine lacks a ceiling for the element type; ratios and attainable are NaN then. */
  readonly bound: 'compute' | 'memory' | 'unknown';
  readonly attainable: Figure;
  readonly ceilings: readonly Ceiling[];
  readonly points: readonly RooflinePoint[];
}
