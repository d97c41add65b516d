/** Outlines of chart texts and the area that they share, independent of the layout code. */
import type { TextMark } from '../../src/core/charts/chart';

interface Corner {
  readonly x: number;
  readonly y: number;
}
type Corners = readonly Corner[];

const CHARACTER_WIDTH = 6;

export const box = (sides: Record<'left' | 'right' | 'top' | 'bottom', number>): Corners => [
  { x: sides.left, y: sides.top },
  { x: sides.right, y: sides.top },
  { x: sides.right, y: sides.bottom },
  { x: sides.left, y: sides.bottom },
];

/** Returns the corners of a text of 6 pixels per character, 10 above and 2 below its baseline. */
export function corners({ x, y, text, anchor, angle = 0 }: TextMark): Corners {
  const width = text.length * CHARACTER_WIDTH;
  const left = anchor === 'start' ? 0 : anchor === 'end' ? -width : -width / 2;
  const radians = (angle / 180) * Math.PI;
  return box({ left, right: left + width, top: -10, bottom: 2 }).map(corner => ({
    x: x + corner.x * Math.cos(radians) - corner.y * Math.sin(radians),
    y: y + corner.x * Math.sin(radians) + corner.y * Math.cos(radians),
  }));
}

/** Returns the area that two convex polygons share (clipping by Sutherland and Hodgman). */
export function sharedArea(one: Corners, other: Corners): number {
  let rest: Corners = one;
  for (const [index, from] of other.entries()) {
    const to = other[(index + 1) % other.length] ?? from;
    const side = ({ x, y }: Corner): number =>
      (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
    rest = rest.flatMap((corner, at) => {
      const next = rest[(at + 1) % rest.length] ?? corner;
      const [here, there] = [side(corner), side(next)];
      const part = here / (here - there);
      const cut = {
        x: corner.x + part * (next.x - corner.x),
        y: corner.y + part * (next.y - corner.y),
      };
      return [...(here >= 0 ? [corner] : []), ...(here < 0 !== there < 0 ? [cut] : [])];
    });
  }
  const area = rest.reduce((sum, { x, y }, index) => {
    const next = rest[(index + 1) % rest.length] ?? { x, y };
    return sum + x * next.y - next.x * y;
  }, 0);
  return Math.abs(area) / 2;
}

export const pairText = (one: TextMark, other: TextMark): string =>
  JSON.stringify([one, other].map(({ text, x, y, angle = 0 }) => ({ text, x, y, angle })));
