/**
 * Occupancy: how many blocks of a kernel one multiprocessor (SM) holds at a time, and what stops it from holding more.
 *
 * Rules: CUDA C++ Programming Guide ("Hardware Multithreading") and the published occupancy calculator; the tests
 * compare the results with the `cuda_occupancy.h` that ships with the CUDA toolkit.
 */
import {
  computeCapabilityNames,
  isComputeCapability,
  limitsOf,
  type ComputeCapabilityLimits,
} from '../hardware/computeCapability';

export interface OccupancyInput {
  /** For example `9.0`. */
  readonly computeCapability: string;
  readonly threadsPerBlock: number;
  /** 32-bit registers, as the compiler reports them; 0 for a kernel without any. */
  readonly registersPerThread: number;
  /** Static and dynamic bytes together, without what the driver reserves; the kernel is taken to opt in beyond 48 KiB. */
  readonly sharedBytesPerBlock: number;
  /**
   * `cudaFuncAttributePreferredSharedMemoryCarveout`: percent of the most shared memory that an SM may have, 0 to 100.
   * Absent: the driver takes what the kernel can use, so that shared memory limits only where all of it does.
   */
  readonly carveOutPercent?: number;
}

export const LIMITERS = ['threads', 'registers', 'shared-memory', 'blocks'] as const;
export type Limiter = (typeof LIMITERS)[number];

export interface Occupancy {
  /** 0: the block does not fit an SM at all, and cannot be launched. */
  readonly blocksPerSm: number;
  readonly activeWarps: number;
  readonly maxWarps: number;
  /** Active warps of maximum warps, 0..1. */
  readonly occupancy: number;
  /** Every resource that alone would allow no more blocks than there are. */
  readonly limiters: readonly Limiter[];
  /** Blocks an SM could hold if that resource alone counted; no entry for one of which the block takes nothing. */
  readonly limits: Readonly<Partial<Record<Limiter, number>>>;
  /** Registers a block takes, with what rounding adds. */
  readonly registersPerBlockAllocated: number;
  /** Bytes per block that are allocated: requested bytes and the driver's reserve, rounded up. */
  readonly sharedBytesAllocated: number;
  /** Bytes per block of these that the driver reserves: 1 KiB from compute capability 8.0 on, 0 before. */
  readonly sharedBytesReserved: number;
}

/** Input that describes no kernel. Data, never an exception. */
export interface OccupancyError {
  readonly field: keyof OccupancyInput;
  readonly message: string;
}

export type OccupancyResult =
  | { readonly ok: true; readonly occupancy: Occupancy }
  | { readonly ok: false; readonly error: OccupancyError };

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

/** Occupancy of a kernel. Total: input that describes no kernel gives `ok: false`, a block too large for an SM 0 blocks. */
export function occupancy(input: OccupancyInput): OccupancyResult {
  const { computeCapability } = input;
  if (!isComputeCapability(computeCapability)) {
    const known = computeCapabilityNames.join(', ');
    return invalid('computeCapability', `"${computeCapability}" is not one of ${known}.`);
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
    // A block may have all shared memory of an SM, so this is 0 beyond what it may opt in to.
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

/** Shared memory of an SM: the preferred carve-out, rounded up to one there is, or the least that holds a block. */
function carvedOutBytes(
  percent: number | undefined,
  blockBytes: number,
  sm: ComputeCapabilityLimits,
): number {
  if (percent === undefined) return sm.sharedBytesPerSm;
  const wanted = Math.max(blockBytes, Math.floor((percent * sm.sharedBytesPerSm) / 100));
  return carveOutFor(wanted, sm) ?? 0;
}

/** The least carve-out of at least so many bytes; none for more than an SM has. */
export const carveOutFor = (
  bytes: number,
  { carveOutsKiB }: Pick<ComputeCapabilityLimits, 'carveOutsKiB'>,
): number | undefined =>
  carveOutsKiB.map(size => size * 1024).find(configured => bytes <= configured);

/**
 * Blocks that the registers allow. Each scheduler owns its part of them, so a part left over in one helps no other.
 * A block may have all registers of an SM; the launch check, which counts its warps up to a multiple of the
 * schedulers, then refuses just the blocks that get 0 here.
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
  const schedulers = sm.warpAllocationGranularity;
  const warpsPerScheduler = Math.floor(sm.registersPerSm / schedulers / registersPerWarp);
  return Math.floor((warpsPerScheduler * schedulers) / warps);
}

function check(
  input: OccupancyInput,
  field: 'threadsPerBlock' | 'registersPerThread' | 'sharedBytesPerBlock',
  least: number,
): OccupancyResult | undefined {
  const value = input[field];
  if (Number.isSafeInteger(value) && value >= least) return undefined;
  return invalid(field, `${field} is ${value}; it must be a whole number of at least ${least}.`);
}

function checkCarveOut({ carveOutPercent: percent }: OccupancyInput): OccupancyResult | undefined {
  if (percent === undefined) return undefined;
  if (Number.isSafeInteger(percent) && percent >= 0 && percent <= 100) return undefined;
  return invalid(
    'carveOutPercent',
    `carveOutPercent is ${percent}; it must be a whole number of 0 to 100.`,
  );
}

const invalid = (field: keyof OccupancyInput, message: string): OccupancyResult => ({
  ok: false,
  error: { field, message },
});
