/**
 * Computes figures from rounds of timed GEMMs: one median per timer, and the speedup over each
 * library with the same timer.
 */
import { median } from '../../src/core/measure/statistics';
import { extentsOf } from './size';
import { isOurs, type BesideRecord, type Round, type Runs } from './record';

export const TIMERS = ['wall', 'timestamp'] as const;
export type Timer = (typeof TIMERS)[number];

export interface Figure {
  readonly entrant: string;
  readonly timer: Timer;
  /** Time per GEMM: median over the rounds of the median within each round. */
  readonly medianMs: number;
  readonly gflops: number;
}

export interface Beside {
  readonly library: string;
  readonly timer: Timer;
  /** Our rate divided by the library's rate, from the medians over rounds. */
  readonly ratio: number;
  /**
   * Ratios of the rates, one for each round that timed our kernel and the library, so that clock
   * drift cancels.
   */
  readonly rounds: readonly number[];
}

function timeIn({ times }: Round, timer: Timer): number | undefined {
  return timer === 'wall' ? median(times.wall.timesMs) : times.timestamp?.medianMs;
}

export function figuresOf({ entrant, size, rounds }: Runs): readonly Figure[] {
  return TIMERS.flatMap(timer => {
    const values = rounds.flatMap(round => timeIn(round, timer) ?? []);
    if (values.length === 0) return [];
    const medianMs = median(values);
    const { m, n, k } = extentsOf(size);
    return [{ entrant, timer, medianMs, gflops: (2 * m * n * k) / (medianMs * 1e6) }];
  });
}

/**
 * Returns our fastest kernel by wall clock, the only timer that every entrant supports; undefined
 * if none was timed.
 */
export function fastest(ours: readonly Runs[]): Runs | undefined {
  const wall = (runs: Runs): number =>
    figuresOf(runs).find(({ timer }) => timer === 'wall')?.medianMs ?? Infinity;
  return ours.reduce<Runs | undefined>(
    (best, runs) => (wall(runs) < (best === undefined ? Infinity : wall(best)) ? runs : best),
    undefined,
  );
}

export function beside(ours: Runs, library: Runs): readonly Beside[] {
  return TIMERS.flatMap(timer => {
    const [own, other] = [ours, library].map(runs =>
      figuresOf(runs).find(figure => figure.timer === timer),
    );
    if (own === undefined || other === undefined) return [];
    const rounds = ours.rounds.flatMap(round => {
      const same = library.rounds.find(one => one.round === round.round);
      const [mine, its] = [round, same].map(one => one && timeIn(one, timer));
      return mine === undefined || its === undefined ? [] : [its / mine];
    });
    return [{ library: library.entrant, timer, ratio: other.medianMs / own.medianMs, rounds }];
  });
}

/**
 * Returns, per size, the library over which our fastest kernel has the smallest speedup by any
 * timer.
 */
export function closestOf(runs: readonly Runs[]): BesideRecord['closest'] {
  const sizes = [...new Set(runs.map(({ size }) => size))];
  return sizes.flatMap(size => {
    const here = runs.filter(one => one.size === size);
    const ours = fastest(here.filter(({ entrant }) => isOurs(entrant)));
    if (ours === undefined) return [];
    const besides = here
      .filter(({ entrant }) => !isOurs(entrant))
      .flatMap(library => beside(ours, library));
    const [lowest] = besides.toSorted((one, other) => one.ratio - other.ratio);
    if (lowest === undefined) return [];
    return [{ size, ours: ours.entrant, ...lowest, rounds: [...lowest.rounds] }];
  });
}
