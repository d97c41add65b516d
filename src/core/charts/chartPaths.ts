/** Converts chart marks to SVG path data, for exported files and the page. */
import type { AreaMark, Mark, PointMark } from './chart';

export const pixels = (value: number): string => String(Math.round(value * 100) / 100);

/**
 * Returns the opacity of a run of this relative age: 0.9 for the newest run (0), 0.25 for the
 * oldest run (1).
 */
export const trailOpacity = (age: number): number => Math.round((0.9 - 0.65 * age) * 100) / 100;

export const curvePath = (curve: Extract<Mark, { kind: 'curve' }>): string =>
  `M${pixels(curve.x1)} ${pixels(curve.y1)} Q${pixels(curve.controlX)} ${pixels(curve.controlY)} ${pixels(curve.x2)} ${pixels(curve.y2)}`;

export const linePath = ({ at }: Extract<Mark, { kind: 'path' }>): string =>
  at.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${pixels(x)} ${pixels(y)}`).join(' ');

export function pointPath({ x, y, shape, radius = 5 }: PointMark): string {
  switch (shape) {
    case 'diamond':
      return `M${pixels(x)} ${pixels(y - 6)} l6 6 l-6 6 l-6 -6 z`;
    case 'square':
      return `M${pixels(x - 4)} ${pixels(y - 4)} h8 v8 h-8 z`;
    case 'triangle':
      return `M${pixels(x)} ${pixels(y - 6)} l6 10 h-12 z`;
    case 'circle':
      return circlePath(x, y, radius);
    case 'bar':
      return `M${pixels(x - 1.5)} ${pixels(y - 8)} h3 v16 h-3 z`;
    case 'star':
      return `M${pixels(x)} ${pixels(y - 7)} l2 4.8 l5 0 l-4 3.4 l1.4 5 l-4.4 -3 l-4.4 3 l1.4 -5 l-4 -3.4 l5 0 z`;
    case 'cross':
      return `M${pixels(x - 3.5)} ${pixels(y - 2.1)} l1.4 -1.4 l2.1 2.1 l2.1 -2.1 l1.4 1.4 l-2.1 2.1 l2.1 2.1 l-1.4 1.4 l-2.1 -2.1 l-2.1 2.1 l-1.4 -1.4 l2.1 -2.1 z`;
    case 'tick':
      return `M${pixels(x - 0.75)} ${pixels(y - 5)} h1.5 v10 h-1.5 z`;
    case 'dot':
      return `M${pixels(x - 3)} ${pixels(y)} a3 3 0 1 0 6 0 a3 3 0 1 0 -6 0 z`;
  }
}

function circlePath(x: number, y: number, radius: number): string {
  const [r, across] = [pixels(radius), pixels(2 * radius)];
  return `M${pixels(x - radius)} ${pixels(y)} a${r} ${r} 0 1 0 ${across} 0 a${r} ${r} 0 1 0 -${across} 0 z`;
}

/** Returns the SVG transformation that rotates a text around its position. */
export const turnOf = ({ x, y, angle }: Record<'x' | 'y' | 'angle', number>): string =>
  `rotate(${pixels(angle)} ${pixels(x)} ${pixels(y)})`;

/** Returns the SVG transformation of an area from cells to pixels. */
export const placement = ({
  x,
  y,
  scaleX,
  scaleY,
}: Pick<AreaMark, 'x' | 'y' | 'scaleX' | 'scaleY'>): string =>
  `translate(${pixels(x)} ${pixels(y)}) scale(${Number(scaleX.toPrecision(6))} ${Number(scaleY.toPrecision(6))})`;
