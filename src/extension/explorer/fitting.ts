/**
 * Limit for the runs in a message, so that the message does not exceed the size limit of its
 * receiver.
 */
import type { Measurement } from '../../core/measure/measurement';
import { MAX_MESSAGE_BYTES } from '../../protocol';

/** Bytes reserved for the spec, names and notes in the message. */
const REST_BYTES = 200_000;

/**
 * Returns the newest runs that fit into one message, at most `most`. `runs` is sorted by time,
 * newest last.
 */
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
