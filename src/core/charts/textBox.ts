/**
 * Estimated outlines of chart texts, which can be rotated, and tests of their overlap. Sizes are
 * estimated without the DOM.
 */
import type { LineMark, TextMark } from './chart';

interface Corner {
  readonly x: number;
  readonly y: number;
}

/** Corners of a convex polygon, in order. A line segment has two corners. */
export type Outline = readonly Corner[];

/** Estimated character width in pixels for the page's 11 px fonts. */
export const CHARACTER_WIDTH = 6;
export const TEXT_HEIGHT = 12;

export const textWidth = (text: string): number => text.length * CHARACTER_WIDTH;

export interface Air {
  readonly along: number;
  readonly across: number;
}

const NO_AIR: Air = { along: 0, across: 0 };

/**
 * Returns the outline of a text, enlarged by `air` pixels along and across its direction. The text
 * extends 10 pixels above and 2 pixels below its baseline.
 */
export function textOutline(
  { text, x, y, anchor, angle = 0 }: Pick<TextMark, 'text' | 'x' | 'y' | 'anchor' | 'angle'>,
  { along, across }: Air = NO_AIR,
): Outline {
  const width = textWidth(text);
  const start = anchor === 'start' ? 0 : anchor === 'end' ? -width : -width / 2;
  const [left, right] = [start - along, start + width + along];
  const [top, bottom] = [2 - TEXT_HEIGHT - across, 2 + across];
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const corner = (dx: number, dy: number): Corner => ({
    x: x + dx * cos - dy * sin,
    y: y + dx * sin + dy * cos,
  });
  return [corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)];
}

export const square = ({ x, y }: Corner, radius: number): Outline => [
  { x: x - radius, y: y - radius },
  { x: x + radius, y: y - radius },
  { x: x + radius, y: y + radius },
  { x: x - radius, y: y + radius },
];

export const segment = ({ x1, y1, x2, y2 }: Pick<LineMark, 'x1' | 'y1' | 'x2' | 'y2'>): Outline => [
  { x: x1, y: y1 },
  { x: x2, y: y2 },
];

/**
 * Tests whether two outlines overlap, with the separating-axis theorem. Outlines that only touch do
 * not overlap.
 */
export const overlap = (a: Outline, b: Outline): boolean =>
  !isSeparated(a, b, 1, 0) &&
  !isSeparated(a, b, 0, 1) &&
  !hasSeparatingEdge(a, b) &&
  !hasSeparatingEdge(b, a);

const hasSeparatingEdge = (of: Outline, other: Outline): boolean =>
  of.some((corner, index) => {
    const next = of[(index + 1) % of.length] ?? corner;
    return isSeparated(of, other, corner.y - next.y, next.x - corner.x);
  });

function isSeparated(a: Outline, b: Outline, axisX: number, axisY: number): boolean {
  const [lowA, highA] = extent(a, axisX, axisY);
  const [lowB, highB] = extent(b, axisX, axisY);
  return highA <= lowB + 1e-9 || highB <= lowA + 1e-9;
}

function extent(of: Outline, axisX: number, axisY: number): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { x, y } of of) {
    const at = x * axisX + y * axisY;
    low = Math.min(low, at);
    high = Math.max(high, at);
  }
  return [low, high];
}
