/** Runs long work in the extension host in slices, so that editor requests run in between. */
import type { EventLoop } from '../../core/measure/timeSlices';

export const HOST_SLICES: EventLoop = {
  now: () => performance.now(),
  pause: () => new Promise(resolve => setTimeout(resolve, 0)),
};
