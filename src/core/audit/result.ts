/** The result of one shape: our time, the time of the fastest library, and the verdict. */
import { t } from '@vscode/l10n';
import { speedUp, type Interval } from '../measure/intervals';
import type { Baseline, Measurement } from '../measure/measurement';
import type { GemmSpec } from '../spec/schema';
import { problemName } from '../spec/problemName';
import { isPlanned, type PlannedShape, type UnplannedShape } from './planned';
import type { FileTime } from './shapes/shape';

/**
 * - `replace`: our kernel is faster than the fastest library.
 * - `equal`: the times differ by at most `EQUAL_PERCENT`, or the interval of the ratio includes 1.
 * - `keep`: the library is faster.
 * - `failed`: our kernel was not timed, for example because of an incorrect result.
 * - `no-library`: no library was timed.
 * - `unsupported`: no kernel supports the problem.
 * - `not-measured`: the time limit was reached, or the run was cancelled.
 * - `predicted`: a prediction without a measurement.
 */
export const VERDICTS = [
  'replace',
  'equal',
  'keep',
  'failed',
  'no-library',
  'unsupported',
  'not-measured',
  'predicted',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Difference of two times in percent below which a benchmark does not separate them. */
export const EQUAL_PERCENT = 1;

export interface ShapeResult {
  readonly key: string;
  /** Problem such as `4096 x 512 x 1024 bf16 rcr`. */
  readonly shape: string;
  readonly problem: PlannedShape['shape']['problem'];
  readonly weight: number;
  readonly places: readonly string[];
  readonly name: string | null;
  readonly omitted: readonly string[];
  readonly specKey: string | null;
  /** The spec with its complete schedule; null without a kernel. */
  readonly spec: GemmSpec | null;
  readonly scheduleFrom: string | null;
  readonly verdict: Verdict;
  readonly why: string | null;
  readonly predictedMs: number | null;
  readonly oursMs: number | null;
  readonly library: { readonly name: string; readonly milliseconds: number } | null;
  /** Time of the library divided by our time; above 1, our kernel is faster. */
  readonly ratio: number | null;
  readonly ratioInterval: Interval | null;
  /** Weight times (library - ours); negative if the library is faster. */
  readonly savedMs: number | null;
  /** Time that the file contains. It was measured by another program. */
  readonly fileTime: FileTime | null;
  readonly measurement: Measurement | null;
}

const fastestOf = (baselines: readonly Baseline[] = []): Baseline | undefined =>
  baselines.toSorted((one, other) => one.medianMs - other.medianMs)[0];

export function resultOf(
  planned: PlannedShape | UnplannedShape,
  measurement: Measurement | null,
  without: { readonly verdict: Verdict; readonly why: string | null } = {
    verdict: 'not-measured',
    why: null,
  },
): ShapeResult {
  const { shape } = planned;
  const made = isPlanned(planned) ? planned : undefined;
  const common = {
    key: shape.key,
    shape: problemName(shape.resolved),
    problem: shape.problem,
    weight: shape.weight,
    places: shape.places,
    name: shape.name ?? null,
    omitted: shape.omitted,
    specKey: made?.kernel.specKey ?? null,
    spec: made?.spec ?? null,
    scheduleFrom: made?.scheduleFrom ?? null,
    predictedMs: made?.predictedMs ?? null,
    fileTime: shape.fileTime ?? null,
    measurement,
  };
  const nothing = { oursMs: null, library: null, ratio: null, ratioInterval: null, savedMs: null };
  if (!isPlanned(planned)) {
    return { ...common, ...nothing, verdict: 'unsupported', why: planned.why };
  }
  if (measurement === null) return { ...common, ...nothing, ...without };
  const { timing, baselines, outcome, message } = measurement;
  if (timing === undefined) {
    const why = message ?? outcome;
    return { ...common, ...nothing, verdict: 'failed', why: t('{0}: {1}', outcome, why) };
  }
  const fastest = fastestOf(baselines);
  const oursMs = timing.medianMs;
  if (fastest === undefined) {
    const why = message ?? t('No library was timed.');
    return { ...common, ...nothing, oursMs, verdict: 'no-library', why };
  }
  const ratio = speedUp(timing, fastest);
  return {
    ...common,
    oursMs,
    library: { name: fastest.name, milliseconds: fastest.medianMs },
    ratio: ratio.value,
    ratioInterval: ratio.interval ?? null,
    savedMs: shape.weight * (fastest.medianMs - oursMs),
    verdict: verdictOf(ratio.value, ratio.interval),
    why: null,
  };
}

function verdictOf(ratio: number, interval: Interval | undefined): Verdict {
  const isClose = Math.abs(ratio - 1) <= EQUAL_PERCENT / 100;
  const includesOne = interval !== undefined && interval[0] <= 1 && interval[1] >= 1;
  if (isClose || includesOne) return 'equal';
  return ratio > 1 ? 'replace' : 'keep';
}
