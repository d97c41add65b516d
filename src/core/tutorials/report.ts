/** Reports a tutorial: each figure of the tutorial with the figure computed or measured here. */
import { deviceOf, findDevice, type DeviceId } from '../hardware/devices';
import type { Measurement } from '../measure/measurement';
import { compareRow, type RowResult, type RowVerdict } from './compare';
import { ratesOf, type RateResult, type Runs } from './rates';
import { isFailure } from './subject';
import type { CompiledKernel, Listing, Tutorial, TutorialName } from './tutorial';

export interface TutorialReport {
  readonly tutorial: TutorialName;
  readonly title: string;
  readonly reproduces: string;
  /** False if a figure that must be equal, or within a tolerance, is not, or if a run failed. */
  readonly holds: boolean;
  readonly counts: Readonly<Record<RowVerdict, number>>;
  /** GPU of the tutorial; null if it states no times. */
  readonly gpu: string | null;
  /** GPU of the predicted rates. */
  readonly predictedFor: string;
  /** Machine that ran the kernels; null if none ran. */
  readonly machine: Measurement['device'] | null;
  readonly rows: readonly RowResult[];
  readonly rates: readonly RateResult[];
  readonly listings: readonly Listing[];
}

export interface ReportInput extends Runs {
  readonly device: DeviceId;
  readonly sizes: readonly number[];
  readonly compiled: ReadonlyMap<string, CompiledKernel>;
  readonly notCompiled: string | null;
}

export function tutorialReport(
  tutorial: Tutorial,
  { device, sizes, compiled, notCompiled, ...ran }: ReportInput,
): TutorialReport {
  const { name, title, reproduces, gpu, listings } = tutorial;
  const { runs } = ran;
  const facts = { verified: runs, compiled, notCompiled };
  const rows = tutorial.rows().map(row => compareRow(row, facts));
  const count = (verdict: RowVerdict): number => rows.filter(row => row.verdict === verdict).length;
  const failed = [...runs.values()].some(({ outcome }) => isFailure(outcome));
  return {
    tutorial: name,
    title,
    reproduces,
    holds: count('differs') === 0 && !failed,
    counts: {
      equal: count('equal'),
      within: count('within'),
      differs: count('differs'),
      reported: count('reported'),
      added: count('added'),
      missing: count('missing'),
    },
    gpu: gpu === null ? null : deviceOf(gpu).name,
    predictedFor: findDevice(device)?.name ?? device,
    machine: machineOf(runs),
    rows,
    rates: ratesOf(tutorial, sizes, device, ran),
    listings,
  };
}

/** Returns the machine of the timed runs, or else of any run. */
function machineOf(runs: ReadonlyMap<string, Measurement>): Measurement['device'] | null {
  const all = [...runs.values()];
  return (all.find(({ timing }) => timing !== undefined) ?? all[0])?.device ?? null;
}
