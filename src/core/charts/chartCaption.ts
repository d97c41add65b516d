/** Adds a title, the kernel name and a legend to a chart that is exported without the page. */
import type { Chart, Mark, PointMark, Role } from './chart';
import { CHARACTER_WIDTH } from './chartLabels';

const MARGIN = 16;
const HEAD = 46;
const ROW = 18;
const SAMPLE = 22;
const GAP = 18;
/** Character width of the title in pixels; its font is larger than the label font. */
const TITLE_WIDTH = 8;

interface Entry {
  readonly role: Role;
  readonly text: string;
  /** Omitted if the legend shows a line sample. */
  readonly shape?: PointMark['shape'];
}

const ENTRIES: readonly Entry[] = [
  { role: 'ceiling', text: 'datasheet ceiling' },
  { role: 'ceiling-measured', text: 'empirical ceiling' },
  { role: 'ceiling-level', text: 'memory ceiling' },
  { role: 'ceiling-unused', text: 'unit not used' },
  { role: 'attainable', text: 'attainable', shape: 'diamond' },
  { role: 'without-caches', text: 'without caches', shape: 'square' },
  { role: 'predicted', text: 'predicted', shape: 'triangle' },
  { role: 'measured', text: 'measured', shape: 'circle' },
  { role: 'level', text: 'kernel at a memory level', shape: 'bar' },
  { role: 'earlier', text: 'earlier runs', shape: 'dot' },
];

export function captioned(chart: Chart, kernel: string): Chart {
  const { width, title, marks } = chart;
  const drawn = new Set(marks.filter(({ kind }) => kind !== 'text').map(({ role }) => role));
  const legend = legendOf(
    ENTRIES.filter(({ role }) => drawn.has(role)),
    width,
    HEAD + chart.height,
  );
  return {
    ...chart,
    height: HEAD + chart.height + legend.rows * ROW + MARGIN / 2,
    marks: [
      head(title, { y: 20, role: 'title', most: (width - 2 * MARGIN) / TITLE_WIDTH }),
      head(kernel, { y: 38, role: 'tick', most: (width - 2 * MARGIN) / CHARACTER_WIDTH }),
      ...marks.map(lowered),
      ...legend.marks,
    ],
  };
}

interface HeadOf {
  readonly y: number;
  readonly role: Role;
  readonly most: number;
}

const head = (text: string, { y, role, most: maxCharacters }: HeadOf): Mark => ({
  kind: 'text',
  x: MARGIN,
  y,
  anchor: 'start',
  role,
  text: text.length <= maxCharacters ? text : `${text.slice(0, Math.floor(maxCharacters) - 1)}…`,
});

function lowered(mark: Mark): Mark {
  switch (mark.kind) {
    case 'line':
      return { ...mark, y1: mark.y1 + HEAD, y2: mark.y2 + HEAD };
    case 'curve':
      return { ...mark, y1: mark.y1 + HEAD, y2: mark.y2 + HEAD, controlY: mark.controlY + HEAD };
    case 'text':
    case 'point':
      return { ...mark, y: mark.y + HEAD };
  }
}

function legendOf(entries: readonly Entry[], width: number, top: number) {
  const placed = entries.reduce<{ readonly x: number; readonly row: number }[]>((before, entry) => {
    const last = before.at(-1);
    const previous = entries[before.length - 1];
    const x = last === undefined || previous === undefined ? MARGIN : last.x + widthOf(previous);
    const fits = x + widthOf(entry) - GAP <= width - MARGIN;
    const row = last?.row ?? 0;
    return [...before, fits ? { x, row } : { x: MARGIN, row: row + 1 }];
  }, []);
  const rows = entries.length === 0 ? 0 : (placed.at(-1)?.row ?? 0) + 1;
  const marks = entries.flatMap(({ role, text, shape }, index): readonly Mark[] => {
    const { x = MARGIN, row = 0 } = placed[index] ?? {};
    const y = top + (row + 1) * ROW - 6;
    const middle = y - 4;
    const sample: Mark =
      shape === undefined
        ? { kind: 'line', x1: x, y1: middle, x2: x + SAMPLE, y2: middle, role }
        : { kind: 'point', x: x + SAMPLE / 2, y: middle, shape, role, label: text };
    return [sample, { kind: 'text', x: x + SAMPLE + 6, y, text, anchor: 'start', role: 'tick' }];
  });
  return { rows, marks };
}

const widthOf = ({ text }: Entry): number => SAMPLE + 6 + text.length * CHARACTER_WIDTH + GAP;
