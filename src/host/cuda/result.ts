/** What every Measurement of a CUDA run says, whatever became of it. */
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

/** Measurements of one kernel, whatever became of it. */
export const reporter =
  (runnable: Runnable, where: string): Report =>
  (outcome, message, more = {}) => ({
    specKey: runnable.specKey,
    // Nothing was compiled yet: the text alone names the kernel.
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

/** What the kernel takes in all: ptxas knows the static shared memory, the launch adds the dynamic. */
export const resourcesOf = (
  { registers, sharedBytes, spillStores, spillLoads }: KernelResources,
  { dynamicSharedBytes }: Runnable,
): NonNullable<Measurement['resources']> => ({
  registers,
  spillStores,
  spillLoads,
  sharedBytes: sharedBytes + dynamicSharedBytes,
});
