/** Common fields of every Measurement of a CUDA run. */
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

/** Creates measurements of one kernel for any outcome. */
export const measurementBuilder =
  (runnable: Runnable, where: string): Report =>
  (outcome, message, more = {}) => ({
    specKey: runnable.specKey,
    // Nothing was compiled, so the key only depends on the source.
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
 * Returns total resources: static shared memory from ptxas plus dynamic shared memory of the
 * launch.
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
