/** Measurements by what a change asks of them, so that it need not look through all. */
import { machineOf } from '../src/core/analysis/roofline';
import type { Measurement } from '../src/core/measure/measurement';
import { valueAt } from './edit';

interface RunIndex {
  readonly bySource: ReadonlyMap<string, readonly Measurement[]>;
  /** The newest run of each machine and element type that has measured its ceilings. */
  readonly calibrated: readonly Calibrated[];
}

export interface Calibrated {
  readonly machine: string;
  /** Of the sum. */
  readonly dtype: unknown;
  readonly run: Measurement;
}

const known = new WeakMap<readonly Measurement[], RunIndex>();

function indexOf(runs: readonly Measurement[]): RunIndex {
  const index = known.get(runs) ?? build(runs);
  known.set(runs, index);
  return index;
}

function build(runs: readonly Measurement[]): RunIndex {
  const bySource = new Map<string, Measurement[]>();
  const calibrated = new Map<string, Calibrated>();
  for (const run of runs) {
    if (run.sourceHash !== undefined) {
      bySource.set(run.sourceHash, [...(bySource.get(run.sourceHash) ?? []), run]);
    }
    if (run.ceilings === undefined) continue;
    const [machine, dtype] = [machineOf(run), valueAt(run.resolved, 'problem.accumulator')];
    calibrated.set(JSON.stringify([machine, dtype]), { machine, dtype, run });
  }
  return { bySource, calibrated: [...calibrated.values()] };
}

/** Runs of one text, newest last. */
export const runsOf = (
  lists: readonly (readonly Measurement[])[],
  sourceHash: string,
): readonly Measurement[] => lists.flatMap(runs => indexOf(runs).bySource.get(sourceHash) ?? []);

/** A later list has the newer runs. */
export const calibratedRuns = (lists: readonly (readonly Measurement[])[]): readonly Calibrated[] =>
  lists.flatMap(runs => indexOf(runs).calibrated);
