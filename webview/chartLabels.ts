/** Moves the labels of a chart apart where they would cover each other. Pure geometry, in estimated text sizes. */
import type { Chart, Mark } from '../src/core/analysis/rooflineChart';

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

/** Nearest first, up before down: labels stand above what they name. */
const SHIFTS = [0, -1, 1, -2, 2, -3, 3].map(lines => lines * LINE_HEIGHT);

/** Every label keeps its place unless an earlier one has it; then it goes to the nearest free line. */
export function separateLabels(chart: Chart): Chart {
  const placed: Box[] = [];
  const marks = chart.marks.map(mark => {
    if (mark.kind !== 'text' || mark.role !== 'label') return mark;
    const places = SHIFTS.map(shift => ({ ...mark, y: mark.y + shift })).filter(
      ({ y }) => y >= TEXT_HEIGHT && y <= chart.height,
    );
    const free = places.find(place => !placed.some(box => overlap(box, boxOf(place)))) ?? mark;
    placed.push(boxOf(free));
    return free;
  });
  return { ...chart, marks };
}
