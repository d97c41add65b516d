/** Runs long work in the extension host in slices, so that editor requests run in between. */
import type { Turns } from '../../core/measure/slices';

export const TURNS: Turns = {
  now: () => performance.now(),
  pause: () => new Promise(resolve => setTimeout(resolve, 0)),
};
