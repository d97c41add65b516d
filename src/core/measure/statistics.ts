/** Robust statistics of timed batches, and derived figures. */
import { type ResolvedProblem, flops } from '../spec/resolved';
import { medianInterval } from './intervals';
import type { Timing } from './measurement';

/**
 * Returns the quantile by linear interpolation between order statistics; NaN for no values.
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
  /** Smallest step of the timer, in ns. */
  readonly quantumNs: number;
  readonly warmUp: number;
  /** Launches in each batch. */
  readonly batch: number;
  /** Submits per batch, each timed separately; default 1. */
  readonly submits?: number;
  /** Time of each whole batch, in ms. */
  readonly batchTimesMs: readonly number[];
  readonly problem: ResolvedProblem;
  readonly cache: Timing['cache'];
  readonly inputs: string;
}

/**
 * Returns the 95 % interval of the median launch time, widened by the timer error; nothing if the
 * samples have no interval.
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
 * Computes the timing of one launch. `errorPercent`: both ends of each submit of a batch are read
 * with the timer's quantum.
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
