/** Computes label positions that overlap neither other labels nor points. */
import type { LineMark, PointMark, TextMark } from './chart';
import type { Frame } from './chartScales';
import { overlap, segment, square, textOutline, type Outline } from './textBox';

export interface Place {
  readonly x: number;
  /** Baseline of the text, in pixels. */
  readonly y: number;
  readonly anchor: TextMark['anchor'];
  /** Clockwise rotation in degrees. */
  readonly angle?: number;
}

export interface LabelRequest {
  /** Alternative texts, best first. A shorter text is used if the longer texts do not fit. */
  readonly texts: readonly string[];
  readonly item: string;
  /** Candidate positions, best first. */
  readonly places: readonly Place[];
  /** Candidate positions for the case that no text fits at any of the `places`. */
  readonly otherPlaces?: readonly Place[];
  /** The labeled point. A leader line connects it to a distant label. */
  readonly point?: { readonly x: number; readonly y: number };
}

/** Half the width of a point marker in pixels, plus a margin. */
const POINT_RADIUS = 7;
const DOT_RADIUS = 4;
/** Distance in pixels from a point beyond which its label gets a leader line. */
const NEAR = 16;
/**
 * Horizontal margin in pixels around a text, because actual font widths differ from the estimate.
 */
const TEXT_AIR = 8;
/** Minimum distance in pixels between a ceiling label and the line of another ceiling. */
const LINE_AIR = { along: 4, across: 2 };

const withAir = (mark: Parameters<typeof textOutline>[0]): Outline =>
  textOutline(mark, { along: TEXT_AIR, across: 0 });

const isInside = (outline: Outline, { left, right, top, bottom }: Frame): boolean =>
  outline.every(({ x, y }) => x >= left && x <= right && y >= top && y <= bottom);

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

/** Returns the candidate positions of a number: left and right of its point, then around it. */
export const placesBeside = (point: {
  readonly x: number;
  readonly y: number;
}): readonly Place[] => [
  { x: point.x + 10, y: point.y + 4, anchor: 'start' },
  { x: point.x - 10, y: point.y + 4, anchor: 'end' },
  ...placesAround(point, 'above'),
  ...[24, 40].flatMap(gap =>
    [0, -14, 14].flatMap(dy => [
      { x: point.x + gap, y: point.y + 4 + dy, anchor: 'start' as const },
      { x: point.x - gap, y: point.y + 4 + dy, anchor: 'end' as const },
    ]),
  ),
];

export interface Obstacles {
  readonly points: readonly Pick<PointMark, 'x' | 'y' | 'shape'>[];
  readonly texts: readonly TextMark[];
  /**
   * Lines of ceilings. A ceiling label near the line of another ceiling is ambiguous. Labels of
   * points cross a line only if no other position is free.
   */
  readonly lines?: readonly LineMark[];
}

/**
 * Returns the labels that fit inside `frame`, placed in the requested order, and their leader
 * lines. Labels without a free position are omitted.
 */
export function placeLabels(
  requests: readonly LabelRequest[],
  obstacles: Obstacles,
  frame: Frame,
): readonly (TextMark | LineMark)[] {
  const taken: Outline[] = [
    ...obstacles.texts.map(withAir),
    ...obstacles.points.map(({ x, y, shape }) =>
      square({ x, y }, shape === 'dot' ? DOT_RADIUS : POINT_RADIUS),
    ),
  ];
  const lines = (obstacles.lines ?? []).map(line => ({ item: line.item, outline: segment(line) }));
  return requests.flatMap(({ texts, item, places, otherPlaces = [], point }) => {
    const isClear = (text: string, place: Place): boolean => {
      const outline = textOutline({ text, ...place }, LINE_AIR);
      return !lines.some(line => line.item !== item && overlap(line.outline, outline));
    };
    const isFree = (text: string, place: Place): boolean => {
      const outline = textOutline({ text, ...place });
      return isInside(outline, frame) && !taken.some(other => overlap(other, outline));
    };
    const free = [places, otherPlaces].flatMap(all =>
      texts.flatMap(text =>
        all.filter(place => isFree(text, place)).map(place => ({ text, place })),
      ),
    );
    const clear = free.find(({ text, place }) => isClear(text, place));
    const chosen = clear ?? (point === undefined ? undefined : free[0]);
    if (chosen === undefined) return [];
    const { text, place } = chosen;
    taken.push(withAir({ text, ...place }));
    const label: TextMark = { kind: 'text', ...place, text, role: 'label', item };
    return point === undefined
      ? [label]
      : [...leader(point, textOutline({ text, ...place }), item), label];
  });
}

function leader(
  point: { readonly x: number; readonly y: number },
  outline: Outline,
  item: string,
): readonly LineMark[] {
  const [xs, ys] = [outline.map(({ x }) => x), outline.map(({ y }) => y)];
  const x2 = Math.min(Math.max(point.x, Math.min(...xs)), Math.max(...xs));
  const y2 = Math.min(Math.max(point.y, Math.min(...ys)), Math.max(...ys));
  if (Math.hypot(x2 - point.x, y2 - point.y) <= NEAR) return [];
  return [{ kind: 'line', x1: point.x, y1: point.y, x2, y2, role: 'leader', item }];
}
