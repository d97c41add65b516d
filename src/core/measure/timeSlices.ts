/**
 * Divides long work into time slices, so that the event loop can serve editor requests between
 * them.
 */

export interface EventLoop {
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  readonly pause: () => Promise<void>;
}

/**
 * Duration of a time slice in milliseconds. It is a fraction of a display frame, because an editor
 * request needs several event-loop turns.
 */
export const SLICE_MS = 8;

/** Yields to the event loop if the current slice is over. Otherwise returns undefined. */
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
