/**
 * Time slices for long computations in the extension host, so that editor requests are not delayed.
 */
import type { EventLoop } from '../../core/measure/timeSlices';

export const HOST_SLICES: EventLoop = {
  now: () => performance.now(),
  pause: () => new Promise(resolve => setTimeout(resolve, 0)),
};
