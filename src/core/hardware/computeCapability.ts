/**
 * SM limits of NVIDIA GPUs, by compute capability.
 *
 * Sources: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", and
 * `cuda::arch_traits` in CCCL, which treats 8.8 like 8.6. Before CUDA 13, 11.0 was named 10.1.
 * Cores: "Throughput of Native Arithmetic Instructions" and the architecture sections of the guide.
 * Carve-outs: "Shared Memory" of each architecture in the same guide, and `cuda_occupancy.h`.
 */

export interface ComputeCapabilityLimits {
  readonly threadsPerWarp: number;
  readonly maxThreadsPerBlock: number;
  readonly maxThreadsPerSm: number;
  readonly maxWarpsPerSm: number;
  readonly maxBlocksPerSm: number;
  /** FP32 lanes per SM, called CUDA cores: each completes one FMA per clock. */
  readonly fp32CoresPerSm: number;
  readonly tensorCoresPerSm: number;
  /** Number of 32-bit registers per SM. */
  readonly registersPerSm: number;
  readonly registersPerBlock: number;
  readonly maxRegistersPerThread: number;
  /** Registers are allocated per warp in multiples of this value. */
  readonly registerAllocationUnit: number;
  /** Number of warp schedulers per SM. Each scheduler has an equal number of registers. */
  readonly warpAllocationGranularity: number;
  readonly sharedBytesPerSm: number;
  /**
   * Maximum bytes of `__shared__` declarations per block, and of shared memory per block without
   * opt-in.
   */
  readonly sharedBytesPerBlockStatic: number;
  /**
   * Maximum bytes of shared memory per block after opt-in with
   * `cudaFuncAttributeMaxDynamicSharedMemorySize`.
   */
  readonly sharedBytesPerBlockOptIn: number;
  /**
   * Bytes of shared memory that the driver reserves per block, in addition to the bytes that the
   * kernel requests.
   */
  readonly sharedBytesReservedPerBlock: number;
  readonly sharedAllocationUnitBytes: number;
  /** Supported carve-outs: shared-memory sizes of the unified L1 cache, in ascending order. */
  readonly carveOutsKiB: readonly number[];
  /** Total bytes of L1 cache and shared memory per SM. */
  readonly unifiedBytesPerSm: number;
  readonly clusters: boolean;
}

const KIB = 1024;

/** Carve-outs in KiB of all architectures except Turing; `carveOutsOf` selects those of an SM. */
const CARVE_OUTS_KIB = [0, 8, 16, 32, 64, 96, 100, 132, 164, 196, 228];
const TURING_CARVE_OUTS_KIB = [32, 64];

/** Unified L1 cache and shared memory per SM in KiB, keyed by the maximum shared memory in KiB. */
const UNIFIED_KIB: Readonly<Record<number, number>> = {
  64: 96,
  96: 128,
  100: 128,
  164: 192,
  228: 256,
};

function carveOutsOf(sharedKiBPerSm: number): readonly number[] {
  if (sharedKiBPerSm === 64) return TURING_CARVE_OUTS_KIB;
  // Volta supports 96 KiB as its maximum; SMs with more shared memory support 100 KiB instead.
  const skipped = sharedKiBPerSm === 96 ? 100 : 96;
  return CARVE_OUTS_KIB.filter(size => size <= sharedKiBPerSm && size !== skipped);
}

/**
 * Returns the limits of Volta and Turing: no shared memory is reserved per block, and the
 * allocation unit is 256 bytes.
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
    fp32CoresPerSm: 64,
    tensorCoresPerSm: 8,
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
 * Returns the limits of Ampere and later: the driver reserves 1 KiB of shared memory per block, and
 * the allocation unit is 128 bytes.
 */
function sinceAmpere(
  maxThreadsPerSm: number,
  maxBlocksPerSm: number,
  sharedKiBPerSm: number,
): ComputeCapabilityLimits {
  return {
    ...beforeAmpere(maxThreadsPerSm, maxBlocksPerSm, sharedKiBPerSm),
    fp32CoresPerSm: 128,
    tensorCoresPerSm: 4,
    sharedBytesPerBlockOptIn: (sharedKiBPerSm - 1) * KIB,
    sharedBytesReservedPerBlock: KIB,
    sharedAllocationUnitBytes: 128,
  };
}

const sinceHopper = (...of: Parameters<typeof sinceAmpere>): ComputeCapabilityLimits => ({
  ...sinceAmpere(...of),
  clusters: true,
});

/** The arguments are threads per SM, blocks per SM, and KiB of shared memory per SM. */
const COMPUTE_CAPABILITIES = {
  '7.0': beforeAmpere(2048, 32, 96),
  '7.2': beforeAmpere(2048, 32, 96),
  '7.5': beforeAmpere(1024, 16, 64),
  '8.0': { ...sinceAmpere(2048, 32, 164), fp32CoresPerSm: 64 },
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

export const archOf = (computeCapability: string): string =>
  `sm_${computeCapability.replace('.', '')}`;
