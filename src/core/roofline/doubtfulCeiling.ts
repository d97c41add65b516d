/**
 * Detects a measured point above the measured ceiling of its machine; then the ceiling is doubtful,
 * not the point.
 */
import { isAboveCeiling } from '../measure/ceilings';
import type { Ceiling, Roofline, RooflinePoint } from './contract';

export interface Doubt {
  readonly ceiling: Ceiling;
  /** The fastest point above it. */
  readonly point: RooflinePoint;
}

/** Returns undefined if every measured point is below the measured ceilings of its machine. */
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
