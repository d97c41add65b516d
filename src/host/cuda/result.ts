/** Creates the Measurement of a CUDA run. */
import { kernelKey } from '../../core/text/hash';
import type { Runnable } from '../../core/kernel/kernel';
import { sourceHashOf } from '../../core/text/hash';
import { NOT_VERIFIED, type Measurement, type Outcome } from '../../core/measure/measurement';
import type { KernelResources } from '../ptxas';

export type Report = (
  outcome: Outcome,
  message?: string,
  more?: Partial<Measurement>,
) => Measurement;

export const measurementBuilder =
  (runnable: Runnable, where: string): Report =>
  (outcome, message, more = {}) => ({
    specKey: runnable.specKey,
    // Default key for kernels that were not compiled; it only depends on the source.
    kernelKey: kernelKey({ source: runnable.source, architecture: '', compiler: '', flags: [] }),
    sourceHash: sourceHashOf(runnable),
    resolved: runnable.spec ?? null,
    backend: 'cuda',
    device: { name: 'none', adapter: 'none', driver: 'none', where },
    outcome,
    ...(message === undefined || message === '' ? {} : { message }),
    verification: NOT_VERIFIED,
    ...more,
  });

/**
 * Returns the resources of a kernel. The shared memory is the static size from ptxas plus the
 * dynamic size of the launch.
 */
export const resourcesOf = (
  { registers, sharedBytes, spillStores, spillLoads }: KernelResources,
  { dynamicSharedBytes }: Runnable,
): NonNullable<Measurement['resources']> => ({
  registers,
  spillStores,
  spillLoads,
  sharedBytes: sharedBytes + dynamicSharedBytes,
});
