/**
 * Fits times by least squares of their logarithms, with Levenberg-Marquardt from several starting
 * points. Large residuals count linearly instead of squared (soft L1). A weak prior keeps
 * undetermined parameters near their initial values.
 */
import { solved, type Solution } from './solve';

export type Ranges<N extends string> = Readonly<
  Record<N, readonly [start: number, from: number, to: number]>
>;

export interface FitOf<N extends string> {
  readonly ranges: Ranges<N>;
  /** Measured times; the default weight is 1. */
  readonly runs: readonly { readonly milliseconds: number; readonly weight?: number }[];
  /** Returns the predicted times in milliseconds, in the order of `runs`. */
  readonly predictedMs: (numbers: Readonly<Record<N, number>>) => readonly number[];
  /** Number of starting points and of iterations from each of them. */
  readonly starts?: number;
  readonly iterations?: number;
}

/**
 * Scale of the soft-L1 loss: residuals, ln(predicted time / measured time), far above this value
 * count linearly.
 */
const OUTLIER = 0.12;
/** Residual that the prior adds for a parameter at e times its initial value. */
const PRIOR = 0.02;
const STARTS = 6;
const ITERATIONS = 80;
const DIGITS = 4;

export function fittedNumbers<N extends string>({
  ranges,
  runs,
  predictedMs,
  starts = STARTS,
  iterations = ITERATIONS,
}: FitOf<N>): {
  readonly numbers: Readonly<Record<N, number>>;
  /** Root mean square of ln(predicted time / measured time). */
  readonly residual: number;
} {
  const names = Object.keys(ranges) as unknown as readonly N[];
  const start = names.map(name => Math.log(ranges[name][0]));
  const numbersAt = (logarithms: readonly number[]): Readonly<Record<N, number>> =>
    Object.fromEntries(
      names.map((name, i) => {
        const [, from, to] = ranges[name];
        return [name, Math.min(to, Math.max(from, Math.exp(logarithms[i] ?? 0)))];
      }),
    ) as Record<N, number>;
  const errors = (logarithms: readonly number[]): readonly number[] => {
    const predicted = predictedMs(numbersAt(logarithms));
    return runs.map(({ milliseconds }, i) => Math.log((predicted[i] ?? NaN) / milliseconds));
  };
  const residuals = (logarithms: readonly number[]): readonly number[] => [
    ...errors(logarithms).map((error, i) => (runs[i]?.weight ?? 1) * soft(error)),
    ...logarithms.map((value, i) => PRIOR * (value - (start[i] ?? 0))),
  ];
  let best: Solution = { at: start, loss: Infinity };
  for (let turn = 0; turn < starts; turn++) {
    const moved = start.map((value, i) => value + (turn === 0 ? 0 : 0.4 * Math.sin(7 * turn + i)));
    const found = solved(residuals, moved, iterations);
    if (found.loss < best.loss) best = found;
  }
  const squares = errors(best.at).map(error => error ** 2);
  const found = numbersAt(best.at);
  const rounded = names.map(name => [name, Number(found[name].toPrecision(DIGITS))] as const);
  return {
    numbers: Object.fromEntries(rounded) as Record<N, number>,
    residual: Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / squares.length),
  };
}

/** Returns the soft-L1 residual, whose square grows linearly for large errors. */
const soft = (error: number): number => {
  const squared = 2 * OUTLIER ** 2 * (Math.sqrt(1 + (error / OUTLIER) ** 2) - 1);
  return Math.sign(error) * Math.sqrt(squared);
};
