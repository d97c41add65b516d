/** What the device table says of a GPU. One unit a key; a figure that its vendor does not publish is absent. */
import type { ComputeCapability } from './computeCapability';

/**
 * Which arithmetic a peak is of: an element type on the ordinary lanes, or on matrix units (`-tensor`).
 * `f16-tensor` and `e4m3-tensor` accumulate in f32 (GeForce is twice as fast in f16); e5m2 is as fast as e4m3.
 */
export type PeakKey =
  | 'f64'
  | 'f64-tensor'
  | 'f32'
  | 'tf32-tensor'
  | 'f16'
  | 'f16-tensor'
  | 'bf16'
  | 'bf16-tensor'
  | 'e4m3-tensor'
  | 's8-tensor'
  | 's32';

/** Tera-operations a second, a fused multiply-add counting as two; dense matrices, never the figure for sparsity. */
export type PeakTflops = Readonly<Partial<Record<PeakKey, number>>>;

export type Vendor = 'nvidia' | 'amd' | 'intel' | 'apple';

/** Architectures in the table: enough to choose a default for a GPU of which no more is known. */
export type Family =
  | 'Volta'
  | 'Turing'
  | 'Ampere'
  | 'Ada Lovelace'
  | 'Hopper'
  | 'Blackwell'
  | 'RDNA 3'
  | 'Xe2'
  | 'Apple';

export interface DeviceRow {
  readonly name: string;
  readonly vendor: Vendor;
  readonly family: Family;
  /** NVIDIA only: occupancy needs it. */
  readonly computeCapability?: ComputeCapability;
  /** SMs (NVIDIA), compute units (AMD), Xe cores (Intel), GPU cores (Apple). */
  readonly multiprocessors: number;
  /**
   * Graphics processing clusters, within one of which the blocks of a thread block cluster stay: the SMs of each as
   * assumed, and of pairs in none; how many GPCs there are at most, and SMs of one. Chips of a kind differ.
   */
  readonly gpcs?: {
    readonly sms: readonly number[];
    readonly count: number;
    readonly most: number;
    readonly source: string;
  };
  readonly boostClockMHz?: number;
  readonly memoryBandwidthGBps: number;
  /** As the datasheet states it; absent where it is the buyer's choice. */
  readonly memoryGiB?: number;
  readonly l2CacheMiB?: number;
  /** What all multiprocessors together read from the L2 cache; absent where nobody says. */
  readonly l2Read?: {
    readonly GBps: number;
    readonly from: 'derived' | 'measured';
    readonly source: string;
  };
  readonly powerWatts?: number;
  readonly peakTflops: PeakTflops;
  /** What micro-benchmarks reached on such a device. */
  readonly measured?: {
    readonly peakTflops: PeakTflops;
    readonly memoryBandwidthGBps: number;
    readonly how: string;
  };
  /** Further names under which drivers and browsers report it. */
  readonly reportedAs?: readonly string[];
  /** Vendor document that the figures are from, and what in the row is not. */
  readonly source: string;
}

/** A row with its key. */
export interface DeviceSpec<Id extends string = string> extends DeviceRow {
  readonly id: Id;
}
