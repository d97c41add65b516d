/**
 * Labels of roofline ceilings. Ceilings that reach the right edge of a wide chart are labeled in a
 * column beside the plot. Other labels are placed along their lines.
 */
import type { Ceiling } from '../roofline/contract';
import { ceilingTexts } from './ceilingTexts';
import type { LineMark, Mark } from './chart';
import type { LabelRequest } from './chartLabels';
import type { Frame } from './chartScales';
import { spread } from './labelColumn';
import { rate, type Unit } from './rooflineAxes';
import { textWidth } from './textBox';
import { readable } from '../text/digits';

export interface CeilingLine {
  readonly line: LineMark;
  readonly ceiling: Ceiling;
}

export interface LabelStyle {
  readonly unit: Unit;
  readonly compact: boolean;
}

/** Minimum width in pixels of a chart with a label column. */
const WIDE = 560;
/** Maximum width of the column, as a fraction of the chart width. */
const MAX_FRACTION = 0.3;
/** Width in pixels of the leader lines between the plot and the column. */
const LEADER = 18;
const LINE_HEIGHT = 14;

export const ceilingLabelTexts = (
  { name, from, kind, value }: Ceiling,
  { unit, compact }: LabelStyle,
): readonly string[] => {
  const text = kind === 'compute' ? rate(value, unit) : `${readable(value)} GB/s`;
  return ceilingTexts({ name, from }, text, compact);
};

/** Returns the width of the label column in pixels; 0 if the chart is too narrow for a column. */
export function columnWidth(
  ceilings: readonly Ceiling[],
  style: LabelStyle,
  chartWidth: number,
): number {
  const compute = ceilings.filter(({ kind }) => kind === 'compute');
  if (style.compact || chartWidth < WIDE || compute.length === 0) return 0;
  const most = MAX_FRACTION * chartWidth;
  const widths = compute.map(ceiling => {
    const texts = ceilingLabelTexts(ceiling, style).map(textWidth);
    return texts.find(width => width <= most - LEADER) ?? Math.min(...texts);
  });
  return LEADER + Math.max(...widths);
}

const reachesEdge = ({ line }: CeilingLine, { right }: Frame): boolean =>
  Math.abs(line.x2 - right) < 0.5;

/**
 * Returns the labels of the ceilings that reach the right edge of the plot, and the leader lines to
 * them. `width` is the column width; without a column there are none.
 */
export function columnLabels(
  lines: readonly CeilingLine[],
  frame: Frame,
  style: LabelStyle,
  width: number,
): readonly Mark[] {
  if (width === 0) return [];
  const ordered = lines
    .filter(line => reachesEdge(line, frame))
    .toSorted((one, other) => one.line.y2 - other.line.y2);
  const room = { top: frame.top, bottom: frame.bottom, lineHeight: LINE_HEIGHT };
  const baselines = spread(
    ordered.map(({ line }) => line.y2 + 4),
    room,
  );
  return ordered.flatMap(({ line, ceiling }, index): readonly Mark[] => {
    const y = baselines[index] ?? line.y2;
    if (y < 10) return [];
    const texts = ceilingLabelTexts(ceiling, style);
    const text = texts.find(each => textWidth(each) <= width - LEADER) ?? texts.at(-1) ?? '';
    const item = line.item === undefined ? {} : { item: line.item };
    const x = frame.right + LEADER;
    return [
      {
        kind: 'line',
        x1: frame.right,
        y1: line.y2,
        x2: x - 4,
        y2: y - 4,
        role: 'leader',
        ...item,
      },
      { kind: 'text', x, y, text, anchor: 'start', role: 'label', ...item },
    ];
  });
}

/** Returns the label requests of the ceilings that have no label in the column. */
export function lineLabels(
  lines: readonly CeilingLine[],
  frame: Frame,
  style: LabelStyle,
  width: number,
): readonly LabelRequest[] {
  const levels = lines.flatMap(({ line }) => (line.y1 === line.y2 ? [line.y1] : []));
  return lines
    .filter(line => width === 0 || !reachesEdge(line, frame))
    .filter(({ ceiling }) => !style.compact || ceiling.from !== 'measured')
    .map(({ line, ceiling }) => ({
      // Without a column, a level line has only room for a short text beside the points.
      texts: ceilingLabelTexts(ceiling, style).slice(ceiling.kind === 'compute' ? 1 : 0),
      item: line.item ?? '',
      ...(ceiling.kind === 'compute'
        ? { places: besideLevel(line, levels) }
        : { places: alongSlope(line), otherPlaces: besideSlope(line) }),
    }));
}

type Ends = Pick<LineMark, 'x1' | 'y1' | 'x2' | 'y2'>;

/** Distances of the baseline from a level line. The larger distances leave room for points. */
const [LEVEL_ABOVE, LEVEL_BELOW] = [
  [-5, -10],
  [13, 18],
];
/** Distance in pixels to another level line, below which a label between the lines is ambiguous. */
const CLOSE = 24;

/** Returns label positions on the sides of a level line that have no other level line nearby. */
function besideLevel({ x1, x2, y1 }: Ends, levels: readonly number[]): LabelRequest['places'] {
  const isFree = (side: number): boolean =>
    !levels.some(y => side * (y - y1) > 0 && side * (y - y1) < CLOSE);
  return [...(isFree(-1) ? LEVEL_ABOVE : []), ...(isFree(1) ? LEVEL_BELOW : [])].flatMap(dy =>
    [0, 0.15, 0.3, 0.45, 0.6].map(part => ({
      x: x2 - 4 - part * (x2 - x1),
      y: y1 + dy,
      anchor: 'end' as const,
    })),
  );
}

/** Returns horizontal label positions right and left of a sloped line. */
const besideSlope = ({ x1, y1, x2, y2 }: Ends): LabelRequest['places'] =>
  [0.5, 0.3, 0.7, 0.15, 0.85].flatMap(part => {
    const [x, y] = [x1 + part * (x2 - x1), y1 + part * (y2 - y1)];
    return [
      { x: x + 12, y: y + 8, anchor: 'start' as const },
      { x: x - 10, y: y - 2, anchor: 'end' as const },
    ];
  });

/** Distance in pixels from a sloped line to the baseline above it, and to that below it. */
const [ABOVE, BELOW] = [-5, 13];

/** Returns rotated label positions above and below a sloped line. */
function alongSlope({ x1, y1, x2, y2 }: Ends): LabelRequest['places'] {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 1) return [];
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  return [ABOVE, BELOW].flatMap(off =>
    [0.5, 0.45, 0.55, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8].map(part => ({
      x: x1 + part * (x2 - x1) - off * dy,
      y: y1 + part * (y2 - y1) + off * dx,
      anchor: 'middle' as const,
      angle,
    })),
  );
}
