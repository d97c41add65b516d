/**
 * Draws the steps of a ladder on one roofline: one point per rung at the problem's arithmetic
 * intensity, labeled in a side column.
 */
import { teraInterval } from '../../measure/intervals';
import type { Roofline } from '../../roofline/contract';
import type { Chart, Mark, PointMark, Size } from '../../charts/chart';
import { chartSvg, type ChartTheme } from '../../charts/chartSvg';
import { rate, unitOf } from '../../charts/rooflineAxes';
import { rooflineChart } from '../../charts/rooflineChart';
import type { TrailRun } from '../../charts/rooflineTrail';
import type { Step } from './ladderSteps';
import { labelColumn, type Named } from '../../charts/labelColumn';

const SIZE: Size = { width: 820, height: 620 };
const MARGIN_FACTORS = { left: 6, right: 12, below: 0.7, above: 1.6 } as const;

/** Returns null if no rung was timed. */
export function ladderChart(steps: readonly Step[], size: Size = SIZE): Chart | null {
  const timed = steps.flatMap(({ hold, analysis, measurement }) => {
    const timing = measurement?.timing;
    const roofline = analysis === null ? undefined : rooflineWithRun(analysis);
    const point = roofline?.points.find(({ kind }) => kind === 'measured');
    if (timing === undefined || measurement === null || roofline === undefined || !point) return [];
    const run: TrailRun = {
      specKey: measurement.specKey,
      backend: measurement.backend,
      intensity: point.intensity,
      tflops: point.tflops,
      ...teraInterval(timing),
      machine: point.machine,
    };
    return [{ name: `${hold.number} ${hold.rung.algorithm}`, run, roofline }];
  });
  const [first] = timed;
  if (first === undefined) return null;
  const trail = timed.map(({ run }) => run);
  const rates = trail.map(({ tflops }) => tflops);
  const points = first.roofline.points.filter(({ kind }) => kind === 'attainable');
  const peaks = first.roofline.ceilings.filter(
    ({ kind, of }) => kind === 'compute' && of === undefined,
  );
  const top = Math.max(...rates, ...peaks.map(({ value }) => value));
  const { intensity } = first.run;
  const chart = rooflineChart({ ...first.roofline, points }, size, {
    trail,
    pointLabels: 'names',
    window: {
      x: [intensity / MARGIN_FACTORS.left, intensity * MARGIN_FACTORS.right],
      y: [Math.min(...rates) * MARGIN_FACTORS.below, top * MARGIN_FACTORS.above],
    },
  });
  const unit = unitOf(first.roofline.ceilings, [...points, ...trail]);
  const labels = timed.map(({ name, run }) => `${name}: ${rate(run.tflops, unit)}`);
  return { ...chart, marks: labeled(chart, labels) };
}

/**
 * Labels the points of the rungs in a column, with equal opacity. The column shows the order, so
 * arcs are omitted.
 */
function labeled({ marks, height }: Chart, labels: readonly string[]): readonly Mark[] {
  const rungs = marks.flatMap((mark): readonly Named[] => {
    const label = labels[Number(mark.item?.split(':')[1])];
    return isRung(mark) && label !== undefined ? [{ point: { ...mark, age: 0 }, label }] : [];
  });
  const others = marks.filter(mark => mark.kind !== 'curve' && !isRung(mark));
  return [
    ...others,
    ...labelColumn(rungs, marginOf(marks, height)),
    ...rungs.map(({ point }) => point),
  ];
}

const isRung = (mark: Mark): mark is PointMark => mark.kind === 'point' && mark.role === 'earlier';

/** Pixels kept free for ceiling labels below the top ceiling, and for the axis at the bottom. */
const CLEAR = { ceiling: 30, axis: 52 } as const;

function marginOf(marks: readonly Mark[], height: number) {
  const levels = marks.flatMap(mark =>
    mark.kind === 'line' && mark.role === 'ceiling' && mark.y1 === mark.y2 ? [mark.y1] : [],
  );
  const top = levels.length === 0 ? 0 : Math.min(...levels);
  return { top: top + CLEAR.ceiling, bottom: height - CLEAR.axis };
}

/**
 * Returns the device's roofline if it has a measured point, otherwise the first machine roofline
 * with a measured point; undefined if there is none.
 */
const rooflineWithRun = ({
  roofline,
  machineRooflines,
}: {
  readonly roofline: Roofline;
  readonly machineRooflines: readonly Roofline[];
}): Roofline | undefined =>
  [roofline, ...machineRooflines].find(({ points }) =>
    points.some(({ kind }) => kind === 'measured'),
  );

export const ladderSvg = (steps: readonly Step[], theme: ChartTheme): string | null => {
  const chart = ladderChart(steps);
  return chart === null ? null : chartSvg(chart, { theme });
};
