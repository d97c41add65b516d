/**
 * Splits the gap between ceiling, prediction and measurement into steps that sum to the gap. Losses
 * are removed one at a time, largest first, so each step depends on the losses removed before.
 */
import type { Roofline } from './contract';
import { flops } from '../spec/resolved';
import type { Plan } from '../plan/plan';
import { modelOf, textOf, type AnalyzedSites } from '../model/gap/gaps';
import type { Cause, TimeModel } from '../model/timeModel';

export interface LossStep {
  /**
   * `rest` is the remaining predicted time, including losses below `MIN_SHARE`. `unexplained` is
   * the measured time minus the predicted time.
   */
  readonly cause: Cause | 'rest' | 'unexplained';
  /** Lost time in milliseconds; only `unexplained` may be negative. */
  readonly milliseconds: number;
  /**
   * Fraction of the predicted time beyond the time at the ceiling. For `unexplained`, fraction of
   * the measured time.
   */
  readonly share: number;
  /** Rate after this loss and all previous losses, in TFLOP/s. */
  readonly tflops: number;
  /** Description of the loss; absent for `rest` and `unexplained`. */
  readonly text?: string;
}

export interface Waterfall {
  /** Datasheet peak of the compute units; equals `roof` for a compute-bound problem. */
  readonly peak: { readonly tflops: number; readonly milliseconds: number };
  readonly roof: { readonly tflops: number; readonly milliseconds: number };
  /** Losses between the ceiling and the prediction, largest first. */
  readonly falls: readonly LossStep[];
  readonly predicted: { readonly tflops: number; readonly milliseconds: number };
  /**
   * Newest timed run on the machine of the roofline and its unexplained time; null without timed
   * runs.
   */
  readonly measured: {
    readonly tflops: number;
    readonly milliseconds: number;
    readonly unexplained: LossStep;
  } | null;
}

/**
 * Minimum fraction of the predicted time for a separate step; smaller losses are part of `rest`.
 */
const MIN_SHARE = 0.002;

interface AnalyzedKernel extends AnalyzedSites {
  readonly roofline: Roofline;
}

/** Returns null if no time model or no ceiling applies. */
export function waterfall(analysis: AnalyzedKernel, plan: Plan | null): Waterfall | null {
  const { roofline } = analysis;
  const model = modelOf(analysis, plan);
  const attainable = roofline.attainable.value;
  if (plan === null || model === null || !(attainable > 0)) return null;
  const operations = flops(plan.spec.problem);
  const rateOf = (milliseconds: number): number => operations / milliseconds / 1e9;
  const roof = operations / attainable / 1e9;
  const predicted = { tflops: model.tflops, milliseconds: model.milliseconds };
  // If DRAM determines the ceiling, its transfer time is not a loss.
  const causes = model.causes.filter(cause => cause !== 'dram' || roofline.bound !== 'memory');
  const losses = lossesOf(model, causes, roof).filter(
    ({ milliseconds }) => milliseconds >= MIN_SHARE * predicted.milliseconds,
  );
  const explained = losses.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const rest = predicted.milliseconds - roof - explained;
  const run = roofline.points.findLast(({ kind }) => kind === 'measured');
  const taken = run === undefined ? null : operations / run.tflops / 1e9;
  const over = predicted.milliseconds - roof;
  const share = (milliseconds: number): number => (over > 0 ? milliseconds / over : 0);
  let reached = roof;
  const falls = [...losses, { cause: 'rest' as const, milliseconds: rest }]
    .filter(({ milliseconds }) => milliseconds > 0)
    .sort((one, other) => other.milliseconds - one.milliseconds)
    .map(({ cause, milliseconds }): LossStep => {
      reached += milliseconds;
      const tflops = rateOf(reached);
      const base = { cause, milliseconds, share: share(milliseconds), tflops };
      if (cause === 'rest') return base;
      const without = rateOf(model.millisecondsWithout([cause]));
      return { ...base, text: textOf(model, cause, without) };
    });
  const peak = Math.max(peakOf(roofline) ?? attainable, attainable);
  return {
    peak: { tflops: peak, milliseconds: operations / peak / 1e9 },
    roof: { tflops: attainable, milliseconds: roof },
    falls,
    predicted,
    measured:
      run === undefined || taken === null
        ? null
        : {
            tflops: run.tflops,
            milliseconds: taken,
            unexplained: {
              cause: 'unexplained',
              milliseconds: taken - predicted.milliseconds,
              share: 1 - predicted.milliseconds / taken,
              tflops: run.tflops,
            },
          },
  };
}

export interface FoldedLosses {
  readonly shown: readonly LossStep[];
  /** Smaller losses that are shown as their sum: none, or at least two. */
  readonly rest: readonly LossStep[];
}

/** Minimum number of losses that are shown separately. */
const MIN_SHOWN = 4;

/**
 * Folds the smallest losses into one term that is not larger than any loss shown separately.
 *
 * @param falls largest first
 */
export function foldLosses(falls: readonly LossStep[]): FoldedLosses {
  let sum = 0;
  let shown = falls.length;
  for (let from = falls.length - 1; from >= MIN_SHOWN; from--) {
    sum += falls[from]?.milliseconds ?? 0;
    if (from < falls.length - 1 && sum <= (falls[from - 1]?.milliseconds ?? 0)) shown = from;
  }
  return { shown: falls.slice(0, shown), rest: falls.slice(shown) };
}

/** Returns the datasheet peak of a roofline in TFLOP/s; undefined if it has none. */
export const peakOf = ({ ceilings }: Roofline): number | undefined =>
  ceilings.find(({ kind, from, of }) => kind === 'compute' && from === 'spec' && of === undefined)
    ?.value;

interface Loss {
  readonly cause: Cause;
  readonly milliseconds: number;
}

/**
 * Returns the losses in the order of their removal. The remaining time never drops below the time
 * at the ceiling.
 */
function lossesOf(model: TimeModel, causes: readonly Cause[], roof: number): readonly Loss[] {
  const losses: Loss[] = [];
  let now = model.milliseconds;
  let left = causes;
  while (left.length > 0) {
    const gone = losses.map(({ cause }) => cause);
    const after = left.map(cause => ({
      cause,
      milliseconds: Math.max(roof, model.millisecondsWithout([...gone, cause])),
    }));
    const [best] = after.toSorted((one, other) => one.milliseconds - other.milliseconds);
    if (best === undefined || best.milliseconds >= now) break;
    losses.push({ cause: best.cause, milliseconds: now - best.milliseconds });
    now = best.milliseconds;
    left = left.filter(cause => cause !== best.cause);
  }
  return losses;
}
