/** Keeps a message below the size limit of its receiver. */
import type { Measurement } from '../../core/measure/measurement';
import { MAX_MESSAGE_BYTES } from '../../protocol';

/** Size of the rest of the message: spec, names and notes. */
const REST_BYTES = 200_000;

/** Returns the newest runs that fit into one message. `runs` is sorted by time, newest last. */
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
