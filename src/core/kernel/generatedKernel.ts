/** From a runnable back to the kernel with its plan and IR: only where the text is exactly what the spec gives. */
import { plan } from '../plan/planner';
import { emit } from './emit';
import type { Kernel, Runnable } from './kernel';

/** The kernel behind a runnable, or null for one that was edited or written by hand. */
export function generatedKernel(runnable: Runnable | Kernel): Kernel | null {
  if ('plan' in runnable) return runnable;
  if (runnable.spec === undefined) return null;
  const planned = plan(runnable.spec, runnable.target);
  if (!planned.ok) return null;
  const kernel = emit(planned.plan);
  return kernel.source === runnable.source ? kernel : null;
}
