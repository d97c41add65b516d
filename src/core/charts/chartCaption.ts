/** Adds a title, caption lines and a legend to a chart that is saved without the page. */
import type { Chart, Mark, PointMark, Role } from './chart';
import { CHARACTER_WIDTH, textWidth } from './textBox';

export interface LegendItem {
  readonly role: Role;
  readonly text: string;
  /** Omitted if the legend shows a line sample. */
  readonly shape?: PointMark['shape'];
  /** Number of the point in the chart. */
  readonly number?: number;
}

export interface Caption {
  readonly title: string;
  /** Lines below the title, such as the machine and the date. */
  readonly lines: readonly string[];
  readonly legend: readonly LegendItem[];
}

const MARGIN = 16;
const TITLE_BASELINE = 22;
const LINE = 16;
const ROW = 18;
const SAMPLE = 22;
const NUMBER = 12;
const GAP = 18;
/** Estimated character width of the title in pixels; its font is larger than the label font. */
const TITLE_WIDTH = 8;

export function captioned(chart: Chart, { title, lines, legend }: Caption): Chart {
  const { width, marks } = chart;
  const head = TITLE_BASELINE + lines.length * LINE + 8;
  const rows = rowsOf(legend, width);
  const room = width - 2 * MARGIN;
  return {
    ...chart,
    title,
    height: head + chart.height + rows.length * ROW + MARGIN / 2,
    marks: [
      headLine(title, { y: TITLE_BASELINE, role: 'title', most: room / TITLE_WIDTH }),
      ...lines.map((line, index) =>
        headLine(line, {
          y: TITLE_BASELINE + (index + 1) * LINE,
          role: 'tick',
          most: room / CHARACTER_WIDTH,
        }),
      ),
      ...marks.map(mark => moved(mark, 0, head)),
      ...rows.flatMap((row, index) => rowMarks(row, head + chart.height + (index + 1) * ROW - 6)),
    ],
  };
}

interface HeadOf {
  readonly y: number;
  readonly role: Role;
  readonly most: number;
}

const truncated = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, Math.floor(most) - 1))}…`;

const headLine = (text: string, { y, role, most }: HeadOf): Mark => ({
  kind: 'text',
  x: MARGIN,
  y,
  anchor: 'start',
  role,
  text: truncated(text, most),
});

/** Returns the mark at a position that is `dx` farther right and `dy` farther down. */
export function moved(mark: Mark, dx: number, dy: number): Mark {
  switch (mark.kind) {
    case 'line':
    case 'curve': {
      const { x1, y1, x2, y2 } = mark;
      const ends = { x1: x1 + dx, y1: y1 + dy, x2: x2 + dx, y2: y2 + dy };
      return mark.kind === 'line'
        ? { ...mark, ...ends }
        : { ...mark, ...ends, controlX: mark.controlX + dx, controlY: mark.controlY + dy };
    }
    case 'path':
      return { ...mark, at: mark.at.map(([x, y]) => [x + dx, y + dy] as const) };
    case 'text':
    case 'point':
    case 'rect':
    case 'area':
      return { ...mark, x: mark.x + dx, y: mark.y + dy };
  }
}

interface Placed {
  readonly item: LegendItem;
  readonly x: number;
}

const sampleStart = ({ number }: LegendItem): number => (number === undefined ? 0 : NUMBER);

const widthOf = (item: LegendItem): number =>
  sampleStart(item) + SAMPLE + 6 + textWidth(item.text) + GAP;

/** Distributes the items over rows that fit the width. An item wider than a row is truncated. */
function rowsOf(items: readonly LegendItem[], width: number): readonly (readonly Placed[])[] {
  const rows: Placed[][] = [];
  let x = Infinity;
  for (const full of items) {
    const most = (width - 2 * MARGIN - sampleStart(full) - SAMPLE - 6) / CHARACTER_WIDTH;
    const item = { ...full, text: truncated(full.text, most) };
    if (x + widthOf(item) - GAP > width - MARGIN) {
      rows.push([]);
      x = MARGIN;
    }
    rows.at(-1)?.push({ item, x });
    x += widthOf(item);
  }
  return rows;
}

const rowMarks = (row: readonly Placed[], y: number): readonly Mark[] =>
  row.flatMap(({ item, x }): readonly Mark[] => {
    const { role, text, shape, number } = item;
    const [start, middle] = [x + sampleStart(item), y - 4];
    const sample: Mark =
      shape === undefined
        ? { kind: 'line', x1: start, y1: middle, x2: start + SAMPLE, y2: middle, role }
        : { kind: 'point', x: start + SAMPLE / 2, y: middle, shape, role, label: text };
    const name = { kind: 'text', y, anchor: 'start', role: 'tick' } as const;
    return [
      ...(number === undefined
        ? []
        : [{ ...name, x, text: String(number), role: 'label' } as const]),
      sample,
      { ...name, x: start + SAMPLE + 6, text },
    ];
  });
