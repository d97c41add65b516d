/**
 * Runs a long synchronous computation in time slices, so that signals are handled between slices.
 */
import { setImmediate } from 'node:timers/promises';
import { interrupted } from './result';

const SLICE_MS = 50;

/** Runs all steps and returns their result. Throws if aborted. */
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
