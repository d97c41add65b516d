/** Recovers the plan and IR of a runnable kernel whose source is exactly as emitted. */
import { plan } from '../plan/planner';
import { emit } from './emit';
import type { Kernel, Runnable } from './kernel';

/**
 * Returns the generated kernel of a runnable kernel; null if it has no legal spec or its source
 * differs from the source emitted for its spec.
 */
export function recoverGenerated(runnable: Runnable | Kernel): Kernel | null {
  if ('plan' in runnable) return runnable;
  if (runnable.spec === undefined) return null;
  const planned = plan(runnable.spec, runnable.target);
  if (!planned.ok) return null;
  const kernel = emit(planned.plan);
  return kernel.source === runnable.source ? kernel : null;
}
