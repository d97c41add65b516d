/** Compares timings with their errors. */
import type { Energy, Timing } from '../../measure/measurement';
import type { TuneTime } from './events';

type Ends = Pick<TuneTime, 'medianMs' | 'errorPercent'>;

export const lowest = ({ medianMs, errorPercent }: Ends): number =>
  medianMs * (1 - errorPercent / 100);
export const highest = ({ medianMs, errorPercent }: Ends): number =>
  medianMs * (1 + errorPercent / 100);

export const isFaster = (one: Ends, other: Ends): boolean => highest(one) < lowest(other);

export const distinct = (one: Ends, other: Ends): boolean =>
  isFaster(one, other) || isFaster(other, one);

/**
 * `gpuPercent` is the time difference between GPUs for the same kernel. The error includes half the
 * interquartile range.
 */
export function timeOf(
  timing: Timing,
  gpu: string,
  gpuPercent = 0,
  energy?: Pick<Energy, 'joules'>,
): TuneTime {
  const { medianMs, iqrMs, gflops, errorPercent: timerPercent } = timing;
  const spreadPercent = (50 * iqrMs) / medianMs;
  return {
    medianMs,
    tflops: gflops / 1000,
    timerPercent,
    gpu,
    ...(energy === undefined ? {} : { joules: energy.joules }),
    errorPercent: timerPercent + spreadPercent + gpuPercent,
  };
}
