/** Combines several charts into one. */
import type { Chart } from './chart';
import { moved } from './chartCaption';

const GAP = 16;

/** Returns the charts side by side. */
export function beside(charts: readonly Chart[], title: string): Chart {
  let width = 0;
  const marks = charts.flatMap((chart, index) => {
    const left = width + (index === 0 ? 0 : GAP);
    width = left + chart.width;
    return chart.marks.map(mark => moved(mark, left, 0));
  });
  return { title, width, height: Math.max(0, ...charts.map(({ height }) => height)), marks };
}

/** Returns the charts in one column, with their titles. */
export function stacked(charts: readonly Chart[], title: string): Chart {
  let height = 0;
  const marks = charts.flatMap(chart => {
    const top = height + GAP + 4;
    height = top + chart.height;
    return [
      {
        kind: 'text',
        x: 16,
        y: top - 2,
        text: chart.title,
        anchor: 'start',
        role: 'label',
      } as const,
      ...chart.marks.map(mark => moved(mark, 0, top)),
    ];
  });
  return { title, width: Math.max(0, ...charts.map(({ width }) => width)), height, marks };
}
