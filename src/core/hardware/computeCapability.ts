/**
 * What one multiprocessor (SM) of an NVIDIA GPU holds, by compute capability.
 *
 * Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", and the traits that
 * ship with CCCL (`cuda::arch_traits`, which equate 8.8 with 8.6). 10.1 is the name that 11.0 had before CUDA 13.
 * Carve-outs: the same guide, "Shared Memory" of each architecture, and `cuda_occupancy.h`.
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
  /** What the compiler may give a thread. */
  readonly maxRegistersPerThread: number;
  /** Registers are handed to a warp in multiples of this. */
  readonly registerAllocationUnit: number;
  /** An SM's warp schedulers: each owns an equal part of the registers, and warps are dealt to them evenly. */
  readonly warpAllocationGranularity: number;
  readonly sharedBytesPerSm: number;
  /** What `__shared__` declarations may take, and a launch without opting in. */
  readonly sharedBytesPerBlockStatic: number;
  /** What a block may have at most, after `cudaFuncSetAttribute(MaxDynamicSharedMemorySize)`. */
  readonly sharedBytesPerBlockOptIn: number;
  /** What the driver keeps for itself in every block, beside what the kernel asks for. */
  readonly sharedBytesReservedPerBlock: number;
  readonly sharedAllocationUnitBytes: number;
  /** What of the L1 cache may become shared memory, ascending; the last one is all that may. */
  readonly carveOutsKiB: readonly number[];
  /** Bytes that the L1 cache and shared memory have together. */
  readonly unifiedBytesPerSm: number;
  /** Thread block clusters. */
  readonly clusters: boolean;
}

const KIB = 1024;

/** Every carve-out there is but Turing's; an SM has those up to its own shared memory. */
const CARVE_OUTS_KIB = [0, 8, 16, 32, 64, 96, 100, 132, 164, 196, 228];
const TURING_CARVE_OUTS_KIB = [32, 64];

/** L1 and shared memory of an SM together, by what of it may be shared. */
const UNIFIED_KIB: Readonly<Record<number, number>> = {
  64: 96,
  96: 128,
  100: 128,
  164: 192,
  228: 256,
};

function carveOutsOf(sharedKiBPerSm: number): readonly number[] {
  if (sharedKiBPerSm === 64) return TURING_CARVE_OUTS_KIB;
  // Volta alone ends at 96; what has more goes on with 100.
  const skipped = sharedKiBPerSm === 96 ? 100 : 96;
  return CARVE_OUTS_KIB.filter(size => size <= sharedKiBPerSm && size !== skipped);
}

/** Volta and Turing: no shared memory is reserved, and it is allocated by 256 bytes. */
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

/** From Ampere on the driver takes 1 KiB of shared memory a block, and it is allocated by 128 bytes. */
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

/** From Hopper on, blocks may be launched as clusters. */
const sinceHopper = (...of: Parameters<typeof sinceAmpere>): ComputeCapabilityLimits => ({
  ...sinceAmpere(...of),
  clusters: true,
});

/** Threads a SM, blocks a SM, shared KiB a SM: all that differs within a generation. */
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

/** What compilers call it: `9.0` is `sm_90`. */
export const archOf = (computeCapability: string): string =>
  `sm_${computeCapability.replace('.', '')}`;
