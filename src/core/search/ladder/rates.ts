/** Rates of a table of rungs in one unit, so that they can be compared at a glance. */
import { findDevice } from '../../hardware/devices';
import { precise } from '../../text/numbers';
import { predictedGflops, type Step } from './climb';

export interface RateUnit {
  readonly name: 'GFLOP/s' | 'TFLOP/s';
  /** Three significant digits of a rate in GFLOP/s. */
  readonly text: (gflops: number) => string;
}

const GIGA: RateUnit = { name: 'GFLOP/s', text: precise };
const TERA: RateUnit = { name: 'TFLOP/s', text: gflops => precise(gflops / 1000) };

/** By the fastest rung that was timed; where none was, by the fastest prediction. */
export function rateUnitOf(steps: readonly Step[]): RateUnit {
  const measured = steps.flatMap(({ measurement }) => measurement?.timing?.gflops ?? []);
  const predicted = steps.flatMap(step => predictedGflops(step) ?? []);
  const fastest = Math.max(...(measured.length > 0 ? measured : predicted), 0);
  return fastest >= 1000 ? TERA : GIGA;
}

/** The name of the device that rates are predicted for; null where none is predicted. */
export function predictedFor(steps: readonly Step[]): string | null {
  const found = steps.find(step => predictedGflops(step) !== null)?.analysis?.device;
  return found === undefined ? null : (findDevice(found)?.name ?? found);
}

/** The factor over the rung before: of times where there are any, else of predictions. */
export const shownFactor = ({ gain }: Step): number | null =>
  gain?.factor ?? gain?.predictedFactor ?? null;
