/** Finds a place for every label of a chart where it covers no other and no point. Pure geometry, in estimated text sizes. */
import type { LineMark, PointMark, TextMark } from './chart';
import type { Frame } from './chartScales';

export interface Place {
  readonly x: number;
  /** Baseline. */
  readonly y: number;
  readonly anchor: TextMark['anchor'];
}

export interface LabelRequest {
  /** Best first: what is too long for every place is said shorter. */
  readonly texts: readonly string[];
  readonly item: string;
  /** Best first. */
  readonly places: readonly Place[];
  /** The point it names: a label that had to go further from it gets a line to it. */
  readonly point?: { readonly x: number; readonly y: number };
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Of the page's 11 px text: wide enough for any of its fonts. */
export const CHARACTER_WIDTH = 6;
const TEXT_HEIGHT = 12;
/** Half a point's width, with a little air. */
const POINT_RADIUS = 7;
const DOT_RADIUS = 4;
/** A label that is further from its point than this is joined to it. */
const NEAR = 16;
/** Beside a text: fonts differ in width from the estimate. */
const TEXT_AIR = 8;
/** Between a label and a line that it does not name. */
const LINE_AIR = 4;

function boxOf(text: string, { x, y, anchor }: Place): Box {
  const width = text.length * CHARACTER_WIDTH;
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - TEXT_HEIGHT + 2, bottom: y + 2 };
}

const withAir = (box: Box): Box => ({
  ...box,
  left: box.left - TEXT_AIR,
  right: box.right + TEXT_AIR,
});

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const isInside = (box: Box, frame: Frame): boolean =>
  box.left >= frame.left &&
  box.right <= frame.right &&
  box.top >= frame.top &&
  box.bottom <= frame.bottom;

/** Beside a point, nearest first: at its four corners, then further up and down. */
export function placesBeside(
  point: { readonly x: number; readonly y: number },
  prefer: 'above' | 'below',
): readonly Place[] {
  const sign = prefer === 'above' ? -1 : 1;
  const baseline = (side: number, lines: number): number =>
    point.y + (side < 0 ? -8 : 15) + side * lines * 14;
  return [0, 1, 2, 3, 4].flatMap(lines =>
    [sign, -sign].flatMap(side => [
      { x: point.x + 9, y: baseline(side, lines), anchor: 'start' as const },
      { x: point.x - 9, y: baseline(side, lines), anchor: 'end' as const },
    ]),
  );
}

export interface Obstacles {
  readonly points: readonly Pick<PointMark, 'x' | 'y' | 'shape'>[];
  /** Texts that have their place already. */
  readonly texts: readonly TextMark[];
  /** Level lines, each named by the label of its item: beside another one a label would name that. */
  readonly lines?: readonly LineMark[];
}

/** Whether a label that names a line comes as near to another one. */
const isAmbiguous = (box: Box, item: string, lines: readonly LineMark[]): boolean =>
  lines.some(
    line =>
      line.item !== item &&
      line.y1 > box.top - LINE_AIR &&
      line.y1 < box.bottom + LINE_AIR &&
      line.x1 < box.right &&
      box.left < line.x2,
  );

/**
 * The labels that have a place inside of `frame`, in the order they are asked for. One without a free place is
 * left out: what it says is in the chart's table too.
 */
export function placeLabels(
  requests: readonly LabelRequest[],
  obstacles: Obstacles,
  frame: Frame,
): readonly (TextMark | LineMark)[] {
  const taken: Box[] = [
    ...obstacles.texts.map(mark => withAir(boxOf(mark.text, mark))),
    ...obstacles.points.map(({ x, y, shape }) => {
      const radius = shape === 'dot' ? DOT_RADIUS : POINT_RADIUS;
      return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
    }),
  ];
  return requests.flatMap(({ texts, item, places, point }) => {
    const tried = texts.flatMap(text =>
      places.map(place => ({ text, place, box: boxOf(text, place) })),
    );
    const lines = point === undefined ? (obstacles.lines ?? []) : [];
    const free = tried.find(
      ({ box }) =>
        isInside(box, frame) &&
        !taken.some(other => overlap(other, box)) &&
        !isAmbiguous(box, item, lines),
    );
    if (free === undefined) return [];
    const { text, place, box } = free;
    taken.push(withAir(box));
    const label: TextMark = { kind: 'text', ...place, text, role: 'label', item };
    return point === undefined ? [label] : [...leader(point, box, item), label];
  });
}

function leader(
  point: { readonly x: number; readonly y: number },
  box: Box,
  item: string,
): readonly LineMark[] {
  const x2 = Math.min(Math.max(point.x, box.left), box.right);
  const y2 = Math.min(Math.max(point.y, box.top), box.bottom);
  if (Math.hypot(x2 - point.x, y2 - point.y) <= NEAR) return [];
  return [{ kind: 'line', x1: point.x, y1: point.y, x2, y2, role: 'leader', item }];
}
