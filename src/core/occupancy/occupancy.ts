/**
 * Computes occupancy: the number of resident blocks per SM, and the resources that limit it.
 *
 * Follows the CUDA C++ Programming Guide ("Hardware Multithreading") and the published occupancy
 * calculator. Tests compare the results with `cuda_occupancy.h` from the CUDA toolkit.
 */
import {
  computeCapabilityNames,
  isComputeCapability,
  limitsOf,
  type ComputeCapabilityLimits,
} from '../hardware/computeCapability';

export interface OccupancyInput {
  /** Compute capability, for example `9.0`. */
  readonly computeCapability: string;
  readonly threadsPerBlock: number;
  /** 32-bit registers per thread, as reported by the compiler; 0 if the kernel uses none. */
  readonly registersPerThread: number;
  /**
   * Static plus dynamic shared memory in bytes, without the bytes reserved by the driver. Kernels
   * are assumed to opt in above 48 KiB.
   */
  readonly sharedBytesPerBlock: number;
  /**
   * Preferred carve-out (`cudaFuncAttributePreferredSharedMemoryCarveout`) in percent of the
   * maximum shared memory per SM. If absent, the driver provides as much shared memory as the
   * resident blocks can use.
   */
  readonly carveOutPercent?: number;
}

export const LIMITERS = ['threads', 'registers', 'shared-memory', 'blocks'] as const;
export type Limiter = (typeof LIMITERS)[number];

export interface Occupancy {
  /** Resident blocks per SM; 0 if a block does not fit and cannot be launched. */
  readonly blocksPerSm: number;
  readonly activeWarps: number;
  readonly maxWarps: number;
  /** Active warps divided by the maximum warps per SM, 0..1. */
  readonly occupancy: number;
  /** Resources whose limit equals the number of resident blocks. */
  readonly limiters: readonly Limiter[];
  /**
   * Blocks per SM that each resource would allow if it were the only limit. Absent for resources
   * that the block does not use.
   */
  readonly limits: Readonly<Partial<Record<Limiter, number>>>;
  /** Allocated registers per block, rounded up to the allocation unit. */
  readonly registersPerBlockAllocated: number;
  /**
   * Allocated shared memory per block in bytes: the requested bytes plus the bytes reserved by the
   * driver, rounded up.
   */
  readonly sharedBytesAllocated: number;
  /**
   * Shared memory per block that the driver reserves: 1 KiB from compute capability 8.0, otherwise
   * 0.
   */
  readonly sharedBytesReserved: number;
}

export interface OccupancyError {
  readonly field: keyof OccupancyInput;
  readonly message: string;
}

export type OccupancyResult =
  | { readonly ok: true; readonly occupancy: Occupancy }
  | { readonly ok: false; readonly error: OccupancyError };

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

/**
 * Computes the occupancy of a kernel. Returns `ok: false` for invalid input, and 0 blocks if a
 * block does not fit on an SM.
 */
export function occupancy(input: OccupancyInput): OccupancyResult {
  const { computeCapability } = input;
  if (!isComputeCapability(computeCapability)) {
    const known = computeCapabilityNames.join(', ');
    return invalid('computeCapability', `Expected one of ${known}, got "${computeCapability}".`);
  }
  const error =
    check(input, 'threadsPerBlock', 1) ??
    check(input, 'registersPerThread', 0) ??
    check(input, 'sharedBytesPerBlock', 0) ??
    checkCarveOut(input);
  return error ?? { ok: true, occupancy: compute(input, limitsOf(computeCapability)) };
}

function compute(input: OccupancyInput, sm: ComputeCapabilityLimits): Occupancy {
  const warps = Math.ceil(input.threadsPerBlock / sm.threadsPerWarp);
  const registersPerWarp = roundUp(
    input.registersPerThread * sm.threadsPerWarp,
    sm.registerAllocationUnit,
  );
  const sharedBytesAllocated = roundUp(
    input.sharedBytesPerBlock + sm.sharedBytesReservedPerBlock,
    sm.sharedAllocationUnitBytes,
  );
  const limits = {
    threads:
      input.threadsPerBlock > sm.maxThreadsPerBlock ? 0 : Math.floor(sm.maxWarpsPerSm / warps),
    ...(registersPerWarp > 0 && { registers: registerLimit(warps, registersPerWarp, sm) }),
    // The limit is 0 only above the opt-in maximum, because a block may use all shared memory of an
    // SM.
    ...(sharedBytesAllocated > 0 && {
      'shared-memory': Math.floor(
        carvedOutBytes(input.carveOutPercent, sharedBytesAllocated, sm) / sharedBytesAllocated,
      ),
    }),
    blocks: sm.maxBlocksPerSm,
  };
  const blocksPerSm = Math.min(...Object.values(limits));
  const activeWarps = blocksPerSm * warps;
  return {
    blocksPerSm,
    activeWarps,
    maxWarps: sm.maxWarpsPerSm,
    occupancy: activeWarps / sm.maxWarpsPerSm,
    limiters: LIMITERS.filter(limiter => limits[limiter] === blocksPerSm),
    limits,
    registersPerBlockAllocated: registersPerWarp * warps,
    sharedBytesAllocated,
    sharedBytesReserved: sm.sharedBytesReservedPerBlock,
  };
}

/**
 * Returns the shared memory of an SM in bytes. A preferred carve-out is rounded up to a supported
 * size that fits at least one block. Returns 0 if no supported size fits a block.
 */
function carvedOutBytes(
  percent: number | undefined,
  blockBytes: number,
  sm: ComputeCapabilityLimits,
): number {
  if (percent === undefined) return sm.sharedBytesPerSm;
  const wanted = Math.max(blockBytes, Math.floor((percent * sm.sharedBytesPerSm) / 100));
  return carveOutFor(wanted, sm) ?? 0;
}

/**
 * Returns the smallest carve-out of at least `bytes`, or undefined if no carve-out is large enough.
 */
export const carveOutFor = (
  bytes: number,
  { carveOutsKiB }: Pick<ComputeCapabilityLimits, 'carveOutsKiB'>,
): number | undefined =>
  carveOutsKiB.map(size => size * 1024).find(configured => bytes <= configured);

/**
 * Returns the number of blocks per SM that the registers allow. Each scheduler has its own register
 * file, and a warp cannot use registers of two schedulers. The launch check, which rounds warps up
 * to a multiple of the schedulers, rejects exactly the blocks with a limit of 0.
 */
function registerLimit(
  warps: number,
  registersPerWarp: number,
  sm: ComputeCapabilityLimits,
): number {
  const mostPerWarp = roundUp(
    sm.maxRegistersPerThread * sm.threadsPerWarp,
    sm.registerAllocationUnit,
  );
  if (registersPerWarp > mostPerWarp) return 0;
  const held = warpsPerScheduler(registersPerWarp, sm) * sm.warpAllocationGranularity;
  return Math.floor(held / warps);
}

/** Returns the number of warps whose registers fit into the register file of a scheduler. */
export const warpsPerScheduler = (
  registersPerWarp: number,
  { registersPerSm, warpAllocationGranularity: schedulers }: ComputeCapabilityLimits,
): number => Math.floor(registersPerSm / schedulers / registersPerWarp);

function check(
  input: OccupancyInput,
  field: 'threadsPerBlock' | 'registersPerThread' | 'sharedBytesPerBlock',
  least: number,
): OccupancyResult | undefined {
  const value = input[field];
  if (Number.isSafeInteger(value) && value >= least) return undefined;
  return invalid(field, `${field}: expected an integer >= ${least}, got ${value}.`);
}

function checkCarveOut({ carveOutPercent: percent }: OccupancyInput): OccupancyResult | undefined {
  if (percent === undefined) return undefined;
  if (Number.isSafeInteger(percent) && percent >= 0 && percent <= 100) return undefined;
  return invalid(
    'carveOutPercent',
    `carveOutPercent: expected an integer from 0 to 100, got ${percent}.`,
  );
}

const invalid = (field: keyof OccupancyInput, message: string): OccupancyResult => ({
  ok: false,
  error: { field, message },
});
