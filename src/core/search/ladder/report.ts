/**
 * Reports a ladder as data: one JSON value per rung, and a summary. This is the output format of
 * the CLI command `ladder`.
 */
import { t } from '@vscode/l10n';
import type { Analysis } from '../../report/analysis';
import { findDevice } from '../../hardware/devices';
import type { Measurement } from '../../measure/measurement';
import type { Violation } from '../../plan/plan';
import type { Algorithm } from '../../spec/schema';
import { predictedGflops, type Gain, type Step } from './ladderSteps';
import type { Figure } from '../../text/figure';

export interface StepReport {
  readonly rung: number;
  readonly algorithm: Algorithm;
  readonly change: string;
  readonly legal: boolean;
  /** Spec key of the kernel; null if the rung is not legal for this problem. */
  readonly specKey: string | null;
  readonly violations: readonly Violation[];
  /** Message about a smaller schedule and its cause; null if the schedule of the rung is used. */
  readonly adapted: string | null;
  /**
   * Reason why the rung is not legal or has no correct result; null if the result is correct or the
   * rung was not run.
   */
  readonly skipped: string | null;
  readonly predicted: {
    /** Name of the device of the predicted figures. */
    readonly device: string;
    /** Predicted rate in GFLOP/s; null without a prediction. */
    readonly gflops: number | null;
    readonly attainable: Figure;
    readonly kernelRatio: Figure;
    readonly l2: Figure;
    readonly shared: Figure;
    readonly occupancy: number | null;
  } | null;
  readonly measurement: Measurement | null;
  readonly gain: Gain | null;
  readonly why: string;
}

export function stepReport({ hold, analysis, measurement, gain }: Step): StepReport {
  const { number, rung } = hold;
  const violations = hold.ok ? [] : hold.violations;
  const skipped = skippedText({ hold, measurement });
  return {
    rung: number,
    algorithm: rung.algorithm,
    change: rung.change,
    legal: hold.ok,
    specKey: hold.ok ? hold.kernel.specKey : null,
    violations,
    predicted: analysis === null ? null : predicted(analysis),
    measurement,
    gain,
    skipped,
    adapted: hold.ok ? hold.adapted : null,
    why: skipped ?? gain?.text ?? t('the first rung'),
  };
}

/**
 * Explains why a rung is not legal or has no correct result. Returns null if the result is correct
 * or the rung was not run.
 */
export function skippedText({
  hold,
  measurement,
}: Pick<Step, 'hold' | 'measurement'>): string | null {
  if (!hold.ok) return hold.violations.map(({ message }) => message).join(' ');
  if (measurement === null || measurement.outcome === 'correct') return null;
  return measurement.message ?? measurement.outcome;
}

const predicted = (analysis: Analysis): StepReport['predicted'] => {
  const { roofline, traffic, occupancy, device } = analysis;
  return {
    device: findDevice(device)?.name ?? device,
    gflops: predictedGflops({ analysis }),
    attainable: roofline.attainable,
    kernelRatio: roofline.kernelRatio,
    l2: traffic.l2,
    shared: traffic.shared,
    occupancy: occupancy?.occupancy ?? null,
  };
};

export interface LadderSummary {
  readonly rungs: number;
  readonly legal: number;
  readonly correct: number;
  /** Number of the fastest rung; null if no rung was timed. */
  readonly fastest: number | null;
  readonly gflops: number | null;
  /** Speedup of the fastest rung over the slowest timed rung; null if no rung was timed. */
  readonly overSlowest: number | null;
}

export function summaryOf(steps: readonly Step[]): LadderSummary {
  const timed = steps
    .flatMap(({ hold, measurement }) =>
      measurement?.timing === undefined
        ? []
        : [{ number: hold.number, gflops: measurement.timing.gflops }],
    )
    .toSorted((one, other) => other.gflops - one.gflops);
  const [fastest, slowest] = [timed.at(0), timed.at(-1)];
  return {
    rungs: steps.length,
    legal: steps.filter(({ hold }) => hold.ok).length,
    correct: steps.filter(({ measurement }) => measurement?.outcome === 'correct').length,
    fastest: fastest?.number ?? null,
    gflops: fastest?.gflops ?? null,
    overSlowest:
      fastest === undefined || slowest === undefined ? null : fastest.gflops / slowest.gflops,
  };
}
