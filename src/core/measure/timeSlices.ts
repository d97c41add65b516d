/**
 * Divides long work into time slices with event-loop turns in between, so that requests of the
 * editor do not wait.
 */

/** The clock, and a yield to the event loop. */
export interface EventLoop {
  /** In milliseconds. */
  readonly now: () => number;
  readonly pause: () => Promise<void>;
}

/** Length of a slice: a fraction of a frame, because an editor request needs several turns. */
export const SLICE_MS = 8;

/** Returns an awaitable yield once the current slice is over, and undefined before. */
export type YieldIfDue = () => Promise<void> | undefined;

export function createYield({ now, pause }: EventLoop, sliceMs = SLICE_MS): YieldIfDue {
  let began = now();
  return () => {
    if (now() - began < sliceMs) return undefined;
    return pause().then(() => {
      began = now();
    });
  };
}
