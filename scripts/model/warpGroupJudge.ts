/** Evaluates the error and the ranking of predicted `wgmma` times against recorded benchmarks. */
import { median, quantile } from '../../src/core/measure/statistics';
import { isHeldOut } from './heldOut';
import { spearman } from './judge';
import type { GroupPoint, Race } from './warpGroupPoints';

export interface GroupJudgement {
  readonly races: number;
  readonly kernels: number;
  /** Median of |predicted / measured - 1| over the interleaved kernels. */
  readonly error: number;
  /** Median error over all kernels, including kernels that were not interleaved. */
  readonly errorOfAll: number;
  /**
   * Median over benchmarks of Spearman's rank correlation, for interleaved kernels (at least four);
   * `spearmanOfAll` covers all kernels.
   */
  readonly spearman: number;
  readonly spearmanOfAll: number;
  /**
   * Number of benchmarks in which the kernel with the best prediction takes at most `NEAR` times as
   * long as the fastest interleaved kernel.
   */
  readonly near: number;
  /**
   * Same number as `near`, but with the best prediction among interleaved kernels, for benchmarks
   * with at least two interleaved kernels.
   */
  readonly nearOfTurns: number;
  readonly racesOfTurns: number;
  /**
   * Rate of the kernel with the best prediction, relative to the fastest kernel of the benchmark:
   * geometric mean, 5th percentile and minimum over benchmarks with at least two kernels.
   */
  readonly choice: Readonly<Record<'mean' | 'p5' | 'least', number>>;
}

export const NEAR = 1.05;
const ENOUGH = 4;

/** `costOf` predicts the time of a kernel in milliseconds. */
export function judgedRaces(
  races: readonly Race[],
  costOf: (point: GroupPoint) => number,
): GroupJudgement {
  const told = races.map(({ points }) => {
    const all = points.map(point => ({ ...point, predicted: costOf(point) }));
    return { all, turns: all.filter(({ tookTurns }) => tookTurns) };
  });
  type Told = (typeof told)[number]['all'][number];
  const errors = (of: readonly Told[]): number[] =>
    of.map(({ predicted, milliseconds }) => Math.abs(predicted / milliseconds - 1));
  const correlation = (of: readonly Told[]): readonly number[] => {
    const value = spearman(
      of.map(({ predicted }) => predicted),
      of.map(({ milliseconds }) => milliseconds),
    );
    return of.length >= ENOUGH ? [value] : [];
  };
  const isNear = (from: readonly Told[], turns: readonly Told[]): boolean => {
    const chosen = from.reduce((best, one) => (one.predicted < best.predicted ? one : best));
    return chosen.milliseconds <= NEAR * Math.min(...turns.map(one => one.milliseconds));
  };
  const choices = told
    .filter(({ all }) => all.length >= 2)
    .map(({ all }) => {
      const chosen = all.reduce((best, one) => (one.predicted < best.predicted ? one : best));
      return Math.min(...all.map(({ milliseconds }) => milliseconds)) / chosen.milliseconds;
    });
  const raced = told.filter(({ turns }) => turns.length >= 2);
  return {
    races: races.length,
    kernels: told.flatMap(({ all }) => all).length,
    error: median(told.flatMap(({ turns }) => errors(turns))),
    errorOfAll: median(told.flatMap(({ all }) => errors(all))),
    spearman: median(told.flatMap(({ turns }) => correlation(turns))),
    spearmanOfAll: median(told.flatMap(({ all }) => correlation(all))),
    near: told.filter(({ all, turns }) => isNear(all, turns)).length,
    nearOfTurns: raced.filter(({ turns }) => isNear(turns, turns)).length,
    racesOfTurns: raced.length,
    choice: {
      mean: Math.exp(choices.reduce((sum, one) => sum + Math.log(one), 0) / choices.length),
      p5: quantile(choices, 0.05),
      least: Math.min(...choices),
    },
  };
}

/** Returns the shapes that the fits exclude. */
export const heldOut = (races: readonly Race[]): readonly string[] =>
  [...new Set(races.map(({ shape }) => shape))].filter(isHeldOut);
