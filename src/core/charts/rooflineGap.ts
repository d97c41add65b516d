/** Draws the gap between the newest point of a kernel and its attainable rate. */
import type { Roofline } from '../roofline/contract';
import type { LineMark } from './chart';
import type { LabelRequest } from './chartLabels';
import type { Scales } from './chartScales';
import { percentOf } from './rooflineLegend';

export interface Gap {
  readonly line: LineMark;
  readonly label: LabelRequest;
}

/** Minimum length in pixels of a gap with a label. */
const MIN_LENGTH = 12;

/**
 * Returns the gap of the newest measured point, or else of the predicted point. Returns null if
 * there is no gap, or if an end is outside of the window.
 */
export function gapOf({ points, attainable }: Roofline, { x, y, window }: Scales): Gap | null {
  const from =
    points.findLast(({ kind }) => kind === 'measured') ??
    points.find(({ kind }) => kind === 'predicted');
  const top = attainable.value;
  if (from === undefined || !(from.tflops > 0) || !(from.tflops < top)) return null;
  const [left, right] = window.x;
  const [low, high] = window.y;
  const { intensity, tflops } = from;
  if (intensity < left || intensity > right || tflops < low || top > high) return null;
  const [at, y1, y2] = [x(intensity), y(tflops), y(top)];
  if (y1 - y2 < MIN_LENGTH) return null;
  const line: LineMark = { kind: 'line', x1: at, y1, x2: at, y2, role: 'gap' };
  const places = [0.5, 0.35, 0.65, 0.2, 0.8].flatMap(part => {
    const baseline = y1 + part * (y2 - y1) + 4;
    return [
      { x: at + 8, y: baseline, anchor: 'start' as const },
      { x: at - 8, y: baseline, anchor: 'end' as const },
    ];
  });
  return { line, label: { texts: [percentOf(tflops, top)], item: 'gap', places } };
}
