/** Resource limits of a target. CUDA uses the limits of the device; WGSL uses the WebGPU limits. */
import { t } from '@vscode/l10n';
import { limitsOf as computeCapabilityLimits } from '../hardware/computeCapability';
import { findDevice } from '../hardware/devices';
import type { ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import type { Dim3 } from './plan';

export interface TargetLimits {
  readonly threadsPerBlock: number;
  readonly block: Dim3;
  readonly grid: Dim3;
  readonly sharedBytes: number;
  /**
   * Maximum bytes of statically declared shared memory per block. The size of larger allocations is
   * passed at launch.
   */
  readonly staticSharedBytes: number;
  readonly registersPerThread: number;
  /** Maximum number of threads and of blocks per SM; absent for WGSL. */
  readonly multiprocessor?: { readonly threads: number; readonly blocks: number };
  readonly owner: string;
}

/** WebGPU's default limits (W3C WebGPU, section 3.6.2 "Limits"). */
export const DEFAULT_WEBGPU_LIMITS = { invocations: 256, workgroupStorageBytes: 16_384 } as const;

const WEBGPU_WORKGROUPS_PER_DIMENSION = 65_535;

/** Returns the limits of a target; null for CUDA if the device has no compute capability. */
export function limitsOf(spec: ResolvedSpec, target: Target): TargetLimits | null {
  return target === 'wgsl' ? webgpuLimits(spec) : cudaLimits(spec);
}

function webgpuLimits(spec: ResolvedSpec): TargetLimits {
  const { invocations, workgroupStorageBytes } = spec.webgpuLimits ?? DEFAULT_WEBGPU_LIMITS;
  const most = WEBGPU_WORKGROUPS_PER_DIMENSION;
  return {
    threadsPerBlock: invocations,
    block: { x: invocations, y: invocations, z: 64 },
    grid: { x: most, y: most, z: most },
    sharedBytes: workgroupStorageBytes,
    staticSharedBytes: workgroupStorageBytes,
    registersPerThread: 255,
    owner:
      spec.webgpuLimits === undefined ? t("WebGPU's default limits") : t("the spec's webgpuLimits"),
  };
}

/**
 * Returns whether the device supports cp.async, which requires compute capability 8.0 (CUDA C++
 * Programming Guide, "Asynchronous Data Copies").
 */
export function hasAsynchronousCopies(spec: ResolvedSpec): boolean {
  const capability = findDevice(spec.device)?.computeCapability;
  return capability !== undefined && Number(capability) >= 8;
}

function cudaLimits(spec: ResolvedSpec): TargetLimits | null {
  const device = findDevice(spec.device);
  if (device?.computeCapability === undefined) return null;
  const limits = computeCapabilityLimits(device.computeCapability);
  return {
    threadsPerBlock: limits.maxThreadsPerBlock,
    block: { x: 1024, y: 1024, z: 64 },
    grid: { x: 2 ** 31 - 1, y: 65_535, z: 65_535 },
    sharedBytes: limits.sharedBytesPerBlockOptIn,
    staticSharedBytes: limits.sharedBytesPerBlockStatic,
    registersPerThread: limits.maxRegistersPerThread,
    multiprocessor: { threads: limits.maxThreadsPerSm, blocks: limits.maxBlocksPerSm },
    owner: device.name,
  };
}
