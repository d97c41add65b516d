/**
 * Detects measured points above the measured compute ceiling of their machine, which indicate that
 * the ceiling is too low.
 */
import { isAboveCeiling } from '../measure/ceilings';
import type { Ceiling, Roofline, RooflinePoint } from './contract';

export interface Doubt {
  readonly ceiling: Ceiling;
  readonly point: RooflinePoint;
}

/**
 * Returns the ceiling and the fastest point above it, or undefined if no measured point exceeds a
 * measured ceiling by more than its timer error.
 */
export function doubtfulCeiling({ ceilings, points }: Roofline): Doubt | undefined {
  const doubts = ceilings.flatMap(ceiling => {
    if (ceiling.kind !== 'compute' || ceiling.from !== 'measured') return [];
    const above = points.filter(
      ({ kind, machine, tflops, errorPercent = 0 }) =>
        kind === 'measured' &&
        machine === ceiling.machine &&
        isAboveCeiling({ gflops: tflops, errorPercent }, { gflops: ceiling.value }),
    );
    return above.map(point => ({ ceiling, point }));
  });
  return doubts.toSorted((a, b) => b.point.tflops - a.point.tflops)[0];
}
