/** Row type of the device table. Unknown figures are absent. */
import type { ComputeCapability } from './computeCapability';

/**
 * Key of a peak rate: element type on FMA units, or on matrix units (`-tensor`). `f16-tensor` and
 * `e4m3-tensor` are rates with f32 accumulation; on GeForce, f16 accumulation is twice as fast.
 * e5m2 has the rate of e4m3.
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

/**
 * Peak rates in tera-operations per second, where an FMA counts as two operations. Rates are for
 * dense matrices, without sparsity.
 */
export type PeakTflops = Readonly<Partial<Record<PeakKey, number>>>;

export type Vendor = 'nvidia' | 'amd' | 'intel' | 'apple';

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
  /** Compute capability (NVIDIA only), which is required for occupancy. */
  readonly computeCapability?: ComputeCapability;
  /** Number of SMs (NVIDIA), compute units (AMD), Xe cores (Intel) or GPU cores (Apple). */
  readonly multiprocessors: number;
  /**
   * Graphics processing clusters (GPCs). All blocks of a thread block cluster run within one GPC.
   * - `sms`: assumed number of SMs of each GPC, followed by SM pairs outside any GPC; chips of one
   * model differ
   * - `count`: maximum number of GPCs
   * - `most`: maximum number of SMs per GPC
   */
  readonly gpcs?: {
    readonly sms: readonly number[];
    readonly count: number;
    readonly most: number;
    readonly source: string;
  };
  readonly boostClockMHz?: number;
  readonly memoryBandwidthGBps: number;
  /** Memory capacity from the datasheet; absent if it differs between variants of the model. */
  readonly memoryGiB?: number;
  readonly l2CacheMiB?: number;
  /** L2 read bandwidth of all SMs combined; absent if unknown. */
  readonly l2Read?: {
    readonly GBps: number;
    readonly from: 'derived' | 'measured';
    readonly source: string;
  };
  readonly powerWatts?: number;
  readonly peakTflops: PeakTflops;
  readonly measured?: {
    readonly peakTflops: PeakTflops;
    readonly memoryBandwidthGBps: number;
    readonly how: string;
  };
  /** Additional device names that drivers and browsers report. */
  readonly reportedAs?: readonly string[];
  /** Vendor document that states the figures, and any exceptions. */
  readonly source: string;
}

export interface DeviceSpec<Id extends string = string> extends DeviceRow {
  readonly id: Id;
}
