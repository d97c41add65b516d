/** Computes robust statistics of timed batches, and the rates derived from them. */
import { type ResolvedProblem, flops } from '../spec/resolved';
import { medianInterval } from './intervals';
import type { Timing } from './measurement';

/**
 * Returns a quantile by linear interpolation between order statistics (method R-7). Returns NaN for
 * an empty list.
 */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const position = fraction * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? NaN;
  const above = sorted[Math.ceil(position)] ?? NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const interquartileRange = (values: readonly number[]): number =>
  quantile(values, 0.75) - quantile(values, 0.25);

export interface TimedBatches {
  readonly timer: string;
  /** Smallest observed timer step, in nanoseconds. */
  readonly quantumNs: number;
  readonly warmUp: number;
  readonly batch: number;
  /** Submits per batch, each timed separately. Default: 1. */
  readonly submits?: number;
  /** Total time of each batch, in milliseconds. */
  readonly batchTimesMs: readonly number[];
  readonly problem: ResolvedProblem;
  readonly cache: Timing['cache'];
  readonly inputs: string;
}

/**
 * Returns the 95 % confidence interval of the median launch time, widened by the timer error.
 * Returns an empty object if there are too few effective samples.
 */
export function intervalOf(
  launchTimesMs: readonly number[],
  timerErrorMs: number,
): Pick<Timing, 'intervalMs'> {
  const interval = medianInterval(launchTimesMs);
  if (interval === null) return {};
  return { intervalMs: [Math.max(0, interval[0] - timerErrorMs), interval[1] + timerErrorMs] };
}

/**
 * Computes the timing of one launch. `errorPercent` covers the timer resolution at both ends of
 * each submit.
 */
export function timingOf(timed: TimedBatches): Timing {
  const { batchTimesMs, batch, submits = 1, quantumNs, problem } = timed;
  const perLaunch = batchTimesMs.map(time => time / batch);
  const medianMs = median(perLaunch);
  const timerErrorMs = (submits * quantumNs * 1e-6) / batch;
  return {
    timer: timed.timer,
    quantumNs,
    warmUp: timed.warmUp,
    samples: batchTimesMs.length,
    batch,
    ...(submits > 1 ? { submits } : {}),
    medianMs,
    iqrMs: interquartileRange(perLaunch),
    minMs: Math.min(...perLaunch),
    ...intervalOf(perLaunch, timerErrorMs),
    gflops: flops(problem) / (medianMs * 1e6),
    errorPercent: (100 * timerErrorMs) / medianMs,
    cache: timed.cache,
    inputs: timed.inputs,
  };
}
