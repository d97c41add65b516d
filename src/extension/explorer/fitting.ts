/** Keeps a message below the size at which its receiver drops it. Pure. */
import type { Measurement } from '../../core/measure/measurement';
import { MAX_MESSAGE_BYTES } from '../../protocol';

/** The rest of the message: a spec, names and notes. */
const REST_BYTES = 200_000;

/** The newest runs (they come newest last) that fit a message together. */
export function newestThatFit(runs: readonly Measurement[], most: number): Measurement[] {
  let left = MAX_MESSAGE_BYTES - REST_BYTES;
  let first = runs.length;
  while (first > 0 && runs.length - first < most) {
    left -= bytesOf(runs[first - 1]) + 1;
    if (left < 0) break;
    first -= 1;
  }
  return runs.slice(first);
}

const bytesOf = (run: Measurement | undefined): number =>
  new TextEncoder().encode(JSON.stringify(run)).length;
