/** Converts chart marks to SVG path data, for exported files and the page. */
import type { Mark, PointMark } from './chart';

export const pixels = (value: number): string => String(Math.round(value * 100) / 100);

/**
 * Returns the opacity of a run of this relative age: 0.9 for the newest run (0), 0.25 for the
 * oldest run (1).
 */
export const trailOpacity = (age: number): number => Math.round((0.9 - 0.65 * age) * 100) / 100;

export const curvePath = (curve: Extract<Mark, { kind: 'curve' }>): string =>
  `M${pixels(curve.x1)} ${pixels(curve.y1)} Q${pixels(curve.controlX)} ${pixels(curve.controlY)} ${pixels(curve.x2)} ${pixels(curve.y2)}`;

export function pointPath({ x, y, shape }: PointMark): string {
  switch (shape) {
    case 'diamond':
      return `M${pixels(x)} ${pixels(y - 6)} l6 6 l-6 6 l-6 -6 z`;
    case 'square':
      return `M${pixels(x - 4)} ${pixels(y - 4)} h8 v8 h-8 z`;
    case 'triangle':
      return `M${pixels(x)} ${pixels(y - 6)} l6 10 h-12 z`;
    case 'circle':
      return `M${pixels(x - 5)} ${pixels(y)} a5 5 0 1 0 10 0 a5 5 0 1 0 -10 0 z`;
    case 'bar':
      return `M${pixels(x - 1.5)} ${pixels(y - 8)} h3 v16 h-3 z`;
    case 'dot':
      return `M${pixels(x - 3)} ${pixels(y)} a3 3 0 1 0 6 0 a3 3 0 1 0 -6 0 z`;
  }
}
