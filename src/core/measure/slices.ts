/** Long work in slices: the event loop runs between two of them, so that requests of the editor do not wait. */

/** The clock, and a way to the event loop and back. */
export interface Turns {
  /** In milliseconds. */
  readonly now: () => number;
  readonly pause: () => Promise<void>;
}

/** Length of a slice. A request of the editor needs several turns, so a slice is a fraction of a frame. */
export const SLICE_MS = 8;

/** Returns a promise to await once the current slice is over, and undefined before. */
export type Rest = () => Promise<void> | undefined;

export function createRest({ now, pause }: Turns, sliceMs = SLICE_MS): Rest {
  let began = now();
  return () => {
    if (now() - began < sliceMs) return undefined;
    return pause().then(() => {
      began = now();
    });
  };
}
