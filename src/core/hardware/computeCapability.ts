/**
 * SM limits of NVIDIA GPUs, by compute capability.
 *
 * Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", and
 * the traits that ship with CCCL (`cuda::arch_traits`, which equate 8.8 with 8.6). Before CUDA 13,
 * 11.0 was named 10.1. Carve-outs: the same guide, "Shared Memory" of each architecture, and
 * `cuda_occupancy.h`.
 */

export interface ComputeCapabilityLimits {
  readonly threadsPerWarp: number;
  readonly maxThreadsPerBlock: number;
  readonly maxThreadsPerSm: number;
  readonly maxWarpsPerSm: number;
  readonly maxBlocksPerSm: number;
  /** 32-bit registers. */
  readonly registersPerSm: number;
  readonly registersPerBlock: number;
  /** Maximum that the compiler may assign. */
  readonly maxRegistersPerThread: number;
  /** Registers are allocated per warp in multiples of this. */
  readonly registerAllocationUnit: number;
  /**
   * Warp schedulers per SM. Each owns an equal part of the registers, and warps are distributed
   * evenly.
   */
  readonly warpAllocationGranularity: number;
  readonly sharedBytesPerSm: number;
  /** Limit for `__shared__` declarations, and for launches without opt-in. */
  readonly sharedBytesPerBlockStatic: number;
  /** Maximum per block after `cudaFuncSetAttribute(MaxDynamicSharedMemorySize)`. */
  readonly sharedBytesPerBlockOptIn: number;
  /** Bytes that the driver reserves in every block, in addition to the kernel's request. */
  readonly sharedBytesReservedPerBlock: number;
  readonly sharedAllocationUnitBytes: number;
  /** Supported shared-memory sizes of the unified L1, ascending; the last size is the maximum. */
  readonly carveOutsKiB: readonly number[];
  /** Total bytes of L1 cache and shared memory. */
  readonly unifiedBytesPerSm: number;
  /** Thread block clusters. */
  readonly clusters: boolean;
}

const KIB = 1024;

/** Carve-outs of all architectures except Turing; an SM supports those up to its maximum. */
const CARVE_OUTS_KIB = [0, 8, 16, 32, 64, 96, 100, 132, 164, 196, 228];
const TURING_CARVE_OUTS_KIB = [32, 64];

/** Unified L1 and shared memory of an SM in KiB, keyed by the maximum shared memory. */
const UNIFIED_KIB: Readonly<Record<number, number>> = {
  64: 96,
  96: 128,
  100: 128,
  164: 192,
  228: 256,
};

function carveOutsOf(sharedKiBPerSm: number): readonly number[] {
  if (sharedKiBPerSm === 64) return TURING_CARVE_OUTS_KIB;
  // Only Volta ends at 96; larger sizes continue at 100.
  const skipped = sharedKiBPerSm === 96 ? 100 : 96;
  return CARVE_OUTS_KIB.filter(size => size <= sharedKiBPerSm && size !== skipped);
}

/**
 * Returns the limits of Volta and Turing: no reserved shared memory, and allocation units of 256
 * bytes.
 */
function beforeAmpere(
  maxThreadsPerSm: number,
  maxBlocksPerSm: number,
  sharedKiBPerSm: number,
): ComputeCapabilityLimits {
  const sharedBytesPerSm = sharedKiBPerSm * KIB;
  return {
    threadsPerWarp: 32,
    maxThreadsPerBlock: 1024,
    maxThreadsPerSm,
    maxWarpsPerSm: maxThreadsPerSm / 32,
    maxBlocksPerSm,
    registersPerSm: 64 * KIB,
    registersPerBlock: 64 * KIB,
    maxRegistersPerThread: 255,
    registerAllocationUnit: 256,
    warpAllocationGranularity: 4,
    sharedBytesPerSm,
    sharedBytesPerBlockStatic: 48 * KIB,
    sharedBytesPerBlockOptIn: sharedBytesPerSm,
    sharedBytesReservedPerBlock: 0,
    sharedAllocationUnitBytes: 256,
    carveOutsKiB: carveOutsOf(sharedKiBPerSm),
    unifiedBytesPerSm: (UNIFIED_KIB[sharedKiBPerSm] ?? sharedKiBPerSm) * KIB,
    clusters: false,
  };
}

/**
 * Returns the limits since Ampere: the driver reserves 1 KiB of shared memory per block, and the
 * allocation unit is 128 bytes.
 */
function sinceAmpere(
  maxThreadsPerSm: number,
  maxBlocksPerSm: number,
  sharedKiBPerSm: number,
): ComputeCapabilityLimits {
  return {
    ...beforeAmpere(maxThreadsPerSm, maxBlocksPerSm, sharedKiBPerSm),
    sharedBytesPerBlockOptIn: (sharedKiBPerSm - 1) * KIB,
    sharedBytesReservedPerBlock: KIB,
    sharedAllocationUnitBytes: 128,
  };
}

/** Returns the limits since Hopper, where blocks may be launched as clusters. */
const sinceHopper = (...of: Parameters<typeof sinceAmpere>): ComputeCapabilityLimits => ({
  ...sinceAmpere(...of),
  clusters: true,
});

/**
 * Threads per SM, blocks per SM and shared KiB per SM: the only differences within a generation.
 */
const COMPUTE_CAPABILITIES = {
  '7.0': beforeAmpere(2048, 32, 96),
  '7.2': beforeAmpere(2048, 32, 96),
  '7.5': beforeAmpere(1024, 16, 64),
  '8.0': sinceAmpere(2048, 32, 164),
  '8.6': sinceAmpere(1536, 16, 100),
  '8.7': sinceAmpere(1536, 16, 164),
  '8.8': sinceAmpere(1536, 16, 100),
  '8.9': sinceAmpere(1536, 24, 100),
  '9.0': sinceHopper(2048, 32, 228),
  '10.0': sinceHopper(2048, 32, 228),
  '10.1': sinceHopper(1536, 24, 228),
  '10.3': sinceHopper(2048, 32, 228),
  '11.0': sinceHopper(1536, 24, 228),
  '12.0': sinceHopper(1536, 24, 100),
  '12.1': sinceHopper(1536, 24, 100),
} as const satisfies Readonly<Record<string, ComputeCapabilityLimits>>;

export type ComputeCapability = keyof typeof COMPUTE_CAPABILITIES;

export const computeCapabilityNames = Object.keys(
  COMPUTE_CAPABILITIES,
) as readonly ComputeCapability[];

export const isComputeCapability = (text: string): text is ComputeCapability =>
  Object.hasOwn(COMPUTE_CAPABILITIES, text);

export const limitsOf = (computeCapability: ComputeCapability): ComputeCapabilityLimits =>
  COMPUTE_CAPABILITIES[computeCapability];

/** Returns the compiler name: `9.0` is `sm_90`. */
export const archOf = (computeCapability: string): string =>
  `sm_${computeCapability.replace('.', '')}`;
