/**
 * Index of measurements by source hash and by spec, so that an edit does not scan all measurements.
 */
import { machineOf } from '../src/core/roofline/roofline';
import { withAdapterCeilings } from '../src/core/measure/ceilings';
import type { Measurement } from '../src/core/measure/measurement';
import { isOfSpec } from '../src/core/measure/newestRuns';
import { valueAt } from './edit';

interface RunIndex {
  readonly bySource: ReadonlyMap<string, readonly Measurement[]>;
  /** Runs by spec key; hand-written kernels are excluded. */
  readonly bySpec: ReadonlyMap<string, readonly Measurement[]>;
  /** Newest run with measured ceilings per machine and accumulator type. */
  readonly calibrated: readonly Calibrated[];
}

export interface Calibrated {
  readonly machine: string;
  /** Accumulator type. */
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

const withCeilings = new WeakMap<
  readonly Measurement[],
  { readonly local: readonly Measurement[]; readonly all: readonly Measurement[] }
>();

/**
 * Returns the runs of the workspace, followed by the runs of this page. All runs with ceilings on
 * one adapter get its best measured ceilings.
 */
export function runsWithCeilings(
  runs: readonly Measurement[],
  local: readonly Measurement[],
): readonly Measurement[] {
  const before = withCeilings.get(runs);
  if (before?.local === local) return before.all;
  const all = withAdapterCeilings([...runs, ...local]);
  withCeilings.set(runs, { local, all });
  return all;
}

export const runsOf = (
  lists: readonly (readonly Measurement[])[],
  sourceHash: string,
): readonly Measurement[] => lists.flatMap(runs => indexOf(runs).bySource.get(sourceHash) ?? []);

export const runsOfSpec = (
  lists: readonly (readonly Measurement[])[],
  specKey: string,
): readonly Measurement[] => lists.flatMap(runs => indexOf(runs).bySpec.get(specKey) ?? []);

/**
 * Returns, for each list, the newest run with measured ceilings per machine and accumulator type.
 */
export const calibratedRuns = (lists: readonly (readonly Measurement[])[]): readonly Calibrated[] =>
  lists.flatMap(runs => indexOf(runs).calibrated);
