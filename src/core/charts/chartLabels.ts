/**
 * Computes label positions that overlap neither other labels nor points. Text sizes are estimated
 * without the DOM.
 */
import type { LineMark, PointMark, TextMark } from './chart';
import type { Frame } from './chartScales';

export interface Place {
  readonly x: number;
  /** Baseline of the text, in pixels. */
  readonly y: number;
  readonly anchor: TextMark['anchor'];
}

export interface LabelRequest {
  /** Alternative texts, best first. A shorter text is used if the longer texts do not fit. */
  readonly texts: readonly string[];
  readonly item: string;
  /** Candidate positions, best first. */
  readonly places: readonly Place[];
  /** The labeled point. A leader line connects it to a distant label. */
  readonly point?: { readonly x: number; readonly y: number };
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Estimated character width in pixels for the page's 11 px fonts. */
export const CHARACTER_WIDTH = 6;
const TEXT_HEIGHT = 12;
/** Half the width of a point marker in pixels, plus a margin. */
const POINT_RADIUS = 7;
const DOT_RADIUS = 4;
/** Distance in pixels from a point beyond which its label gets a leader line. */
const NEAR = 16;
/**
 * Horizontal margin in pixels around a text, because actual font widths differ from the estimate.
 */
const TEXT_AIR = 8;
/** Minimum vertical distance in pixels between a ceiling label and the line of another ceiling. */
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

/**
 * Returns the candidate positions around a point: its four corners, then positions farther above
 * and below. Positions on the preferred side come first.
 */
export function placesAround(
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
  readonly texts: readonly TextMark[];
  /** Horizontal ceilings. A label close to another ceiling's line is ambiguous. */
  readonly lines?: readonly LineMark[];
}

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
 * Returns the labels that fit inside `frame`, placed in the requested order, and their leader
 * lines. Labels without a free position are omitted.
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
