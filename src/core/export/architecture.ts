/** GPU architectures that the CUDA code of an export is compiled for. */
import { findDevice } from '../hardware/devices';
import type { Kernel } from '../kernel/kernel';
import type { ExportSubject } from './subject';

const HOPPER = '90a';

/** Returns whether a kernel uses instructions that only sm_90a has, such as wgmma or TMA. */
export const isHopperOnly = ({ plan }: Kernel): boolean => plan.family === 'wgmma';

/**
 * Returns the architectures as numbers of the compute capability, such as `90a`: that of Hopper if
 * a kernel requires it, otherwise those of the devices that the specs name.
 */
export function architecturesOf({ kernels }: ExportSubject): readonly string[] {
  if (kernels.some(({ kernel }) => isHopperOnly(kernel))) return [HOPPER];
  const named = kernels.map(
    ({ kernel }) => findDevice(kernel.spec.device)?.computeCapability ?? '9.0',
  );
  return [...new Set(named.map(capability => capability.replace('.', '')))].sort();
}
