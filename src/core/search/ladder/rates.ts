/** Formats the rates of a ladder table in one common unit. */
import { findDevice } from '../../hardware/devices';
import { precise } from '../../text/numbers';
import { predictedGflops, type Step } from './ladderSteps';

export interface RateUnit {
  readonly name: 'GFLOP/s' | 'TFLOP/s';
  /** Formats a rate, given in GFLOP/s, in this unit with three significant digits. */
  readonly text: (gflops: number) => string;
}

const GIGA: RateUnit = { name: 'GFLOP/s', text: precise };
const TERA: RateUnit = { name: 'TFLOP/s', text: gflops => precise(gflops / 1000) };

export function rateUnitOf(steps: readonly Step[]): RateUnit {
  const measured = steps.flatMap(({ measurement }) => measurement?.timing?.gflops ?? []);
  const predicted = steps.flatMap(step => predictedGflops(step) ?? []);
  const fastest = Math.max(...(measured.length > 0 ? measured : predicted), 0);
  return fastest >= 1000 ? TERA : GIGA;
}

/** Returns the name of the device for which rates are predicted; null without predictions. */
export function predictedFor(steps: readonly Step[]): string | null {
  const found = steps.find(step => predictedGflops(step) !== null)?.analysis?.device;
  return found === undefined ? null : (findDevice(found)?.name ?? found);
}

export const shownFactor = ({ gain }: Step): number | null =>
  gain?.factor ?? gain?.predictedFactor ?? null;

/** Returns the name of the library that was timed next to the rungs; null if there is none. */
export const libraryOf = (steps: readonly Step[]): string | null =>
  steps.find(({ measurement }) => measurement?.baseline !== undefined)?.measurement?.baseline
    ?.name ?? null;

/** Formats the rate of a rung as a percentage of the library's rate; null without both rates. */
export function libraryShare({ measurement }: Pick<Step, 'measurement'>): string | null {
  const { timing, baseline } = measurement ?? {};
  return timing === undefined || baseline === undefined
    ? null
    : `${precise((100 * timing.gflops) / baseline.gflops)} %`;
}
