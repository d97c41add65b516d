/** Slices of long work in the extension host: a request of the editor runs between two of them. */
import type { Turns } from '../../core/measure/slices';

export const TURNS: Turns = {
  now: () => performance.now(),
  pause: () => new Promise(resolve => setTimeout(resolve, 0)),
};
