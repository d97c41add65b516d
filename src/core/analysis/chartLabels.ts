/** Moves the labels of a chart apart where they would cover each other. Pure geometry, in estimated text sizes. */
import type { Chart, Mark } from './rooflineChart';

type Label = Extract<Mark, { kind: 'text' }>;

/** Of the page's 11 px text: wide enough for any of its fonts. */
const CHARACTER_WIDTH = 6;
const TEXT_HEIGHT = 12;
const LINE_HEIGHT = 14;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

function boxOf({ x, y, text, anchor }: Label): Box {
  const width = text.length * CHARACTER_WIDTH;
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, bottom: y };
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && Math.abs(a.bottom - b.bottom) < TEXT_HEIGHT;

/** Lines to move by, nearest first. */
const LINES = [0, 1, -2, 2, -1, 3, -3];

/** Every label keeps its place unless an earlier one has it; then it goes to the nearest free line. */
export function separateLabels(chart: Chart): Chart {
  const placed: Box[] = [];
  const marks = chart.marks.map((mark, index) => {
    if (mark.kind !== 'text' || mark.role !== 'label') return mark;
    // A label follows the mark it names, and stays on its side of it.
    const named = chart.marks[index - 1];
    const away = named?.kind === 'point' && named.y < mark.y ? LINE_HEIGHT : -LINE_HEIGHT;
    const places = LINES.map(lines => ({ ...mark, y: mark.y + lines * away })).filter(
      ({ y }) => y >= TEXT_HEIGHT && y <= chart.height,
    );
    const free = places.find(place => !placed.some(box => overlap(box, boxOf(place)))) ?? mark;
    placed.push(boxOf(free));
    return free;
  });
  return { ...chart, marks };
}
