/** Lays out the labels of vertically aligned points in a column next to them, with leader lines. */
import type { Mark, PointMark } from './chart';

export interface Named {
  readonly point: PointMark;
  readonly label: string;
}

export interface Room {
  /** Topmost baseline, in pixels. */
  readonly top: number;
  /** Bottommost baseline, in pixels. */
  readonly bottom: number;
  /** Minimum distance between two baselines. Default: 15 pixels. */
  readonly lineHeight?: number;
}

const LINE_HEIGHT = 15;
/** Horizontal distance in pixels between the points and the label column. */
const GAP = 90;
const MIDDLE = 4;

export function labelColumn(points: readonly Named[], room: Room): readonly Mark[] {
  const ordered = points.toSorted((one, other) => one.point.y - other.point.y);
  const lines = spread(
    ordered.map(({ point }) => point.y + MIDDLE),
    room,
  );
  return ordered.flatMap(({ point, label }, i): readonly Mark[] => {
    const y = lines[i] ?? point.y;
    const item = point.item === undefined ? {} : { item: point.item };
    const column = point.x + GAP;
    return [
      {
        kind: 'line',
        x1: point.x + 5,
        y1: point.y,
        x2: column - 4,
        y2: y - MIDDLE,
        role: 'leader',
        ...item,
      },
      { kind: 'text', x: column, y, text: label, anchor: 'start', role: 'label', ...item },
    ];
  });
}

/**
 * Returns baselines that are close to the ascending positions `wanted`. The distance between two
 * baselines is at least one line height. If they do not fit in the room, the first baselines are
 * above its top.
 */
export function spread(
  wanted: readonly number[],
  { top, bottom, lineHeight = LINE_HEIGHT }: Room,
): readonly number[] {
  const down: number[] = [];
  for (const y of wanted) down.push(Math.max(y, (down.at(-1) ?? top - lineHeight) + lineHeight));
  const up: number[] = [];
  for (const y of down.toReversed())
    up.push(Math.min(y, (up.at(-1) ?? bottom + lineHeight) - lineHeight));
  return up.reverse();
}
