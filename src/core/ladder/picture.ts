/** The steps of a ladder on one roofline: a point a rung, numbered, at the intensity of their problem. */
import { chartSvg, type ChartTheme } from '../analysis/chartSvg';
import type { Chart, Size } from '../analysis/chart';
import { rooflineChart } from '../analysis/rooflineChart';
import type { TrailRun } from '../analysis/rooflineTrail';
import type { Roofline } from '../analysis/analysis';
import type { Step } from './climb';

const SIZE: Size = { width: 820, height: 620 };
/** How much wider than its points the window is. */
const ROOM = { left: 12, right: 6, below: 0.7, above: 1.6 } as const;

/** Null where nothing was timed. */
export function ladderChart(steps: readonly Step[], size: Size = SIZE): Chart | null {
  const timed = steps.flatMap(({ hold, analysis, measurement }) => {
    const timing = measurement?.timing;
    const roofline = analysis === null ? undefined : rooflineWithRun(analysis);
    const point = roofline?.points.find(({ kind }) => kind === 'measured');
    if (timing === undefined || measurement === null || roofline === undefined || !point) return [];
    const run: TrailRun = {
      ...{ specKey: measurement.specKey, backend: measurement.backend },
      ...{ intensity: point.intensity, tflops: point.tflops },
      ...{ errorPercent: timing.errorPercent, machine: point.machine },
    };
    return [{ number: hold.number, run, roofline }];
  });
  const [first] = timed;
  if (first === undefined) return null;
  const trail = timed.map(({ run }) => run);
  const rates = trail.map(({ tflops }) => tflops);
  const points = first.roofline.points.filter(({ kind }) => kind === 'attainable');
  const peaks = first.roofline.ceilings.filter(({ kind }) => kind === 'compute');
  const top = Math.max(...rates, ...peaks.map(({ value }) => value));
  const { intensity } = first.run;
  return rooflineChart({ ...first.roofline, points }, size, {
    trail,
    trailLabels: timed.map(({ number }) => String(number)),
    window: {
      x: [intensity / ROOM.left, intensity * ROOM.right],
      y: [Math.min(...rates) * ROOM.below, top * ROOM.above],
    },
  });
}

/** The device's, or that of the machine that made the run. */
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
