/** Recovers the plan and IR of a runnable kernel whose source is exactly as emitted. */
import { plan } from '../plan/planner';
import { emit } from './emit';
import type { Kernel, Runnable } from './kernel';

/**
 * Returns the generated kernel of a runnable kernel, or null if its source was edited or
 * hand-written.
 */
export function recoverGenerated(runnable: Runnable | Kernel): Kernel | null {
  if ('plan' in runnable) return runnable;
  if (runnable.spec === undefined) return null;
  const planned = plan(runnable.spec, runnable.target);
  if (!planned.ok) return null;
  const kernel = emit(planned.plan);
  return kernel.source === runnable.source ? kernel : null;
}
