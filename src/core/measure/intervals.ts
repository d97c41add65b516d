/**
 * Computes confidence intervals of timings, for the median of a run's samples and for the ratio of
 * two medians. The intervals cover variation between the samples of a run. They do not cover
 * variation between processes (clock, temperature, other load).
 */

export type Interval = readonly [low: number, high: number];

/** Probability that the true value is beyond one end of an interval. */
const TAIL = 0.025;

/**
 * Computes the distribution-free 95 % interval of the median from order statistics. Their ranks
 * follow from the binomial distribution (G. J. Hahn, W. Q. Meeker, "Statistical Intervals", 1991,
 * chapter 5). T. Hoefler and R. Belli recommend the method for run times ("Scientific Benchmarking
 * of Parallel Computing Systems", SC15). Samples that are correlated in time count as fewer
 * effective samples. Returns null below 6 effective samples, which cannot reach 95 %.
 */
export function medianInterval(samples: readonly number[]): Interval | null {
  const count = samples.length;
  const effective = Math.floor(effectiveSamples(samples));
  const rank = lowerRank(effective);
  if (rank === null) return null;
  // Map the ranks of the effective samples to the same quantiles of all samples, rounded outward.
  const at = Math.max(1, Math.floor((rank * count) / effective));
  const sorted = samples.toSorted((left, right) => left - right);
  return [sorted[at - 1] ?? NaN, sorted[count - at] ?? NaN];
}

/**
 * Returns the largest r such that fewer than r of n samples are below the median with a probability
 * of at most 2.5 %. Returns null if there is no such r.
 */
export function lowerRank(count: number): number | null {
  let exactly = 2 ** -count;
  let atMost = exactly;
  let rank = 0;
  while (atMost <= TAIL) {
    rank++;
    exactly *= (count - rank + 1) / rank;
    atMost += exactly;
  }
  return rank === 0 ? null : rank;
}

/** Threshold of a significant autocorrelation (one-sided, 5 %), in units of 1 / sqrt(n). */
const SIGNIFICANCE = 1.645;
const MAX_CORRELATION = 0.95;

/**
 * Returns the effective number of samples: n if their autocorrelation is not significant, otherwise
 * n (1 - r) / (1 + r) for a first-order autoregressive series (H. J. Thiebaux, F. W. Zwiers, "The
 * Interpretation and Estimation of Effective Sample Size", 1984). r is the autocorrelation of the
 * sample ranks, corrected for bias (F. H. C. Marriott, J. A. Pope, "Bias in the Estimation of
 * Autocorrelations", 1954).
 */
export function effectiveSamples(samples: readonly number[]): number {
  const count = samples.length;
  const found = rankAutocorrelation(samples);
  if (found <= SIGNIFICANCE / Math.sqrt(count)) return count;
  const corrected = (found * count + 1) / Math.max(1, count - 4);
  const r = Math.min(MAX_CORRELATION, corrected);
  return (count * (1 - r)) / (1 + r);
}

/**
 * Returns the correlation between the ranks of consecutive samples. Ties share their mean rank.
 * Returns 0 if all samples are equal.
 */
function rankAutocorrelation(samples: readonly number[]): number {
  const sorted = samples.toSorted((left, right) => left - right);
  const places = new Map<number, { sum: number; count: number }>();
  for (const [place, value] of sorted.entries()) {
    const { sum, count } = places.get(value) ?? { sum: 0, count: 0 };
    places.set(value, { sum: sum + place, count: count + 1 });
  }
  const mean = (samples.length - 1) / 2;
  const centred = samples.map(value => {
    const { sum = mean, count = 1 } = places.get(value) ?? {};
    return sum / count - mean;
  });
  const variance = centred.reduce((sum, rank) => sum + rank * rank, 0);
  const lagged = centred.reduce((sum, rank, i) => sum + rank * (centred[i - 1] ?? 0), 0);
  return variance === 0 ? 0 : lagged / variance;
}

/** A positive quantity and its 95 % interval, if known. */
export interface Estimate {
  readonly value: number;
  readonly interval?: Interval | undefined;
}

/**
 * Returns the ratio of two independent positive quantities. For its 95 % interval, the logarithmic
 * distances of the two intervals' ends are added in quadrature (G. Y. Zou, A. Donner, "Construction
 * of confidence limits about effect measures: a general approach", 2008). The ratio has no interval
 * if either interval is unknown or reaches zero.
 */
export function ratioOf(above: Estimate, below: Estimate): Estimate {
  const value = above.value / below.value;
  const [one, other] = [above.interval, below.interval];
  if (one === undefined || other === undefined || one[0] <= 0 || other[0] <= 0) return { value };
  const distance = (part: number, rest: number): number =>
    Math.exp(Math.hypot(Math.log(part), Math.log(rest)));
  return {
    value,
    interval: [
      value / distance(above.value / one[0], other[1] / below.value),
      value * distance(one[1] / above.value, below.value / other[0]),
    ],
  };
}

/** Median time of one launch and its 95 % interval, as stored in a run. */
export interface TimedMedian {
  readonly medianMs: number;
  readonly intervalMs?: readonly [number, number] | undefined;
}

const timeOf = ({ medianMs, intervalMs }: TimedMedian): Estimate => ({
  value: medianMs,
  interval: intervalMs,
});

/**
 * Returns the speedup of `fast` over `slow`, that is, the ratio of the median time of `slow` to
 * that of `fast`.
 */
export const speedUp = (fast: TimedMedian, slow: TimedMedian): Estimate =>
  ratioOf(timeOf(slow), timeOf(fast));

/**
 * Returns a run's rate with its interval, which follows from the interval of the median time. The
 * rate has no interval if the interval of the time is unknown or reaches zero.
 */
export function rateOf({
  gflops,
  medianMs,
  intervalMs,
}: TimedMedian & { readonly gflops: number }): Estimate {
  if (intervalMs === undefined || !(intervalMs[0] > 0)) return { value: gflops };
  const work = gflops * medianMs;
  return { value: gflops, interval: [work / intervalMs[1], work / intervalMs[0]] };
}

/** Returns the interval of a run's rate in TFLOP/s; an empty object if it is unknown. */
export function teraInterval(timing: TimedMedian & { readonly gflops: number }): {
  readonly interval?: Interval;
} {
  const { interval } = rateOf(timing);
  return interval === undefined ? {} : { interval: [interval[0] / 1000, interval[1] / 1000] };
}

/**
 * Returns half of the interval width as a percentage of the value, or undefined if the interval is
 * unknown.
 */
export const halfWidthPercent = ({ value, interval }: Estimate): number | undefined =>
  interval === undefined ? undefined : (50 * (interval[1] - interval[0])) / value;

/** Uncertainty of a rate, in percent, above which a warning is shown. */
export const UNCERTAIN_PERCENT = 5;

export const isUncertain = (estimate: Estimate): boolean =>
  (halfWidthPercent(estimate) ?? 0) > UNCERTAIN_PERCENT;

/**
 * Tests whether the interval of a ratio excludes 1. Returns undefined if the interval is unknown.
 */
export const differs = ({ interval }: Estimate): boolean | undefined =>
  interval === undefined ? undefined : interval[0] > 1 || interval[1] < 1;
