/** Measurements by what a change asks of them, so that it need not look through all. */
import { machineOf } from '../src/core/roofline/roofline';
import { withAdapterRoofs } from '../src/core/measure/ceilings';
import type { Measurement } from '../src/core/measure/measurement';
import { isOfSpec } from '../src/core/measure/newestRuns';
import { valueAt } from './edit';

interface RunIndex {
  readonly bySource: ReadonlyMap<string, readonly Measurement[]>;
  /** Without those of hand-written kernels. */
  readonly bySpec: ReadonlyMap<string, readonly Measurement[]>;
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
  const bySpec = new Map<string, Measurement[]>();
  const calibrated = new Map<string, Calibrated>();
  for (const run of runs) {
    if (run.sourceHash !== undefined) {
      bySource.set(run.sourceHash, [...(bySource.get(run.sourceHash) ?? []), run]);
    }
    if (isOfSpec(run.specKey)(run)) {
      bySpec.set(run.specKey, [...(bySpec.get(run.specKey) ?? []), run]);
    }
    if (run.ceilings === undefined) continue;
    const [machine, dtype] = [machineOf(run), valueAt(run.resolved, 'problem.accumulator')];
    calibrated.set(JSON.stringify([machine, dtype]), { machine, dtype, run });
  }
  return { bySource, bySpec, calibrated: [...calibrated.values()] };
}

const roofed = new WeakMap<
  readonly Measurement[],
  { readonly local: readonly Measurement[]; readonly all: readonly Measurement[] }
>();

/** The runs of the workspace and those of this page after them, with the one roof of each adapter. */
export function roofedRuns(
  runs: readonly Measurement[],
  local: readonly Measurement[],
): readonly Measurement[] {
  const before = roofed.get(runs);
  if (before?.local === local) return before.all;
  const all = withAdapterRoofs([...runs, ...local]);
  roofed.set(runs, { local, all });
  return all;
}

/** Runs of one text, newest last. */
export const runsOf = (
  lists: readonly (readonly Measurement[])[],
  sourceHash: string,
): readonly Measurement[] => lists.flatMap(runs => indexOf(runs).bySource.get(sourceHash) ?? []);

/** Runs of one spec, of whatever text, newest last. */
export const runsOfSpec = (
  lists: readonly (readonly Measurement[])[],
  specKey: string,
): readonly Measurement[] => lists.flatMap(runs => indexOf(runs).bySpec.get(specKey) ?? []);

/** A later list has the newer runs. */
export const calibratedRuns = (lists: readonly (readonly Measurement[])[]): readonly Calibrated[] =>
  lists.flatMap(runs => indexOf(runs).calibrated);
