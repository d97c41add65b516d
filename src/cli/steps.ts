/** Runs a long synchronous computation in steps, so that signals are handled in between. */
import { setImmediate } from 'node:timers/promises';
import { interrupted } from './result';

const SLICE_MS = 50;

/** Returns the result of the steps; throws `interrupted` soon after an abort. */
export async function finish<T>(steps: Generator<void, T>, abort: AbortSignal): Promise<T> {
  let pausedAt = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - pausedAt < SLICE_MS) continue;
    await setImmediate();
    if (abort.aborted) throw interrupted();
    pausedAt = performance.now();
  }
}
