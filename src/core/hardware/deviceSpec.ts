/**
 * A row of the device table. Keys name their unit; figures that the vendor does not publish are
 * absent.
 */
import type { ComputeCapability } from './computeCapability';

/**
 * Key of a peak: an element type on the FMA lanes, or on matrix units (`-tensor`). `f16-tensor` and
 * `e4m3-tensor` accumulate in f32 (f16 accumulation is twice as fast on GeForce); e5m2 has the rate
 * of e4m3.
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

/** Tera-operations per second; an FMA counts as two. Dense matrices only, without sparsity. */
export type PeakTflops = Readonly<Partial<Record<PeakKey, number>>>;

export type Vendor = 'nvidia' | 'amd' | 'intel' | 'apple';

/** Architectures in the table, used to choose a default for otherwise unknown GPUs. */
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
  /** NVIDIA only; required for occupancy. */
  readonly computeCapability?: ComputeCapability;
  /** SMs (NVIDIA), compute units (AMD), Xe cores (Intel), GPU cores (Apple). */
  readonly multiprocessors: number;
  /**
   * Graphics processing clusters (GPCs); a thread block cluster runs within one GPC. `sms`: assumed
   * SMs per GPC, and SM pairs outside any GPC. `count` and `most`: maximum number of GPCs, and of
   * SMs per GPC. Chips of one model differ.
   */
  readonly gpcs?: {
    readonly sms: readonly number[];
    readonly count: number;
    readonly most: number;
    readonly source: string;
  };
  readonly boostClockMHz?: number;
  readonly memoryBandwidthGBps: number;
  /** From the datasheet; absent if it varies between models. */
  readonly memoryGiB?: number;
  readonly l2CacheMiB?: number;
  /** L2 read bandwidth of all SMs together; absent if unknown. */
  readonly l2Read?: {
    readonly GBps: number;
    readonly from: 'derived' | 'measured';
    readonly source: string;
  };
  readonly powerWatts?: number;
  readonly peakTflops: PeakTflops;
  /** Results of micro-benchmarks on this device model. */
  readonly measured?: {
    readonly peakTflops: PeakTflops;
    readonly memoryBandwidthGBps: number;
    readonly how: string;
  };
  /** Other names that drivers and browsers report. */
  readonly reportedAs?: readonly string[];
  /** Vendor document of the figures, with exceptions. */
  readonly source: string;
}

/** A row with its key. */
export interface DeviceSpec<Id extends string = string> extends DeviceRow {
  readonly id: Id;
}
