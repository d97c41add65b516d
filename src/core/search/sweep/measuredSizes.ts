/** Collects runs of one schedule at other sizes, to plot measurements in the size sweep. */
import { matchDevice } from '../../hardware/devices';
import { emit } from '../../kernel/emit';
import { sourceHashOf } from '../../text/hash';
import { teraInterval, type Interval } from '../../measure/intervals';
import type { Measurement } from '../../measure/measurement';
import { plan as planOf } from '../../plan/planner';
import { sameJson } from '../../spec/sameJson';
import type { Plan } from '../../plan/plan';
import { problemAt } from './resized';
import { presentSize, sizesAt, type Axis } from './sweep';

export interface MeasuredSize {
  readonly size: number;
  readonly tflops: number;
  /** 95 % interval of the rate in TFLOP/s, if known. */
  readonly interval?: Interval;
  /** Time of the run (ISO 8601), if recorded. */
  readonly at?: string;
}

export interface MeasuredInput {
  readonly plan: Plan;
  /**
   * Device-table id of the analyzed device; runs on other devices have different waves and are
   * excluded.
   */
  readonly device: string;
  readonly axis: Axis;
  /** Recorded runs, newest last. */
  readonly runs: readonly Measurement[];
}

/**
 * Maximum number of measured sizes; newer runs take precedence. For each run, the kernel is emitted
 * and compared with the kernel source of the run.
 */
const MAX_SIZES = 40;

/**
 * Returns the newest run of each size on the axis, by ascending size. Runs of edited kernel source
 * are excluded.
 */
export function measuredSizes({
  plan,
  device,
  axis,
  runs,
}: MeasuredInput): readonly MeasuredSize[] {
  const { spec, target } = plan;
  const newest = new Map<number, Measurement>();
  for (const run of runs.toReversed()) {
    if (run.timing === undefined || run.resolved === null || run.sourceHash === undefined) continue;
    const { problem, schedule } = run.resolved;
    const size = presentSize(problem, axis);
    if (size === null || newest.has(size) || newest.size === MAX_SIZES) continue;
    if ((run.backend === 'cuda' ? 'cuda' : 'wgsl') !== target) continue;
    if (![run.device.name, run.device.adapter].some(name => matchDevice(name) === device)) continue;
    const here = problemAt(spec.problem, sizesAt(spec.problem, axis, size));
    if (!sameJson(schedule, spec.schedule) || !sameJson(problem, here)) continue;
    const planned = planOf(run.resolved, target);
    if (!planned.ok || sourceHashOf(emit(planned.plan)) !== run.sourceHash) continue;
    newest.set(size, run);
  }
  return [...newest]
    .sort(([one], [other]) => one - other)
    .flatMap(([size, { timing, at }]) =>
      timing === undefined
        ? []
        : [
            {
              size,
              tflops: timing.gflops / 1000,
              ...teraInterval(timing),
              ...(at === undefined ? {} : { at }),
            },
          ],
    );
}
