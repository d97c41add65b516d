/** A measured point above what its own machine was measured to reach: then the ceiling is doubtful, not the point. */
import { isAboveCeiling } from '../measure/ceilings';
import type { Ceiling, Roofline, RooflinePoint } from './contract';

export interface Doubt {
  readonly ceiling: Ceiling;
  /** The fastest of those above it. */
  readonly point: RooflinePoint;
}

/** Undefined where every measured point stands under the measured ceilings of its machine. */
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
