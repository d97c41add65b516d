/**
 * From the roof to the prediction and to what was measured, in steps that add up: causes are taken away one after the
 * other, the one that gains most first, so each has the time that it adds to what is left. Another order shares differently.
 */
import type { Roofline } from './contract';
import { flops } from '../spec/resolved';
import type { Plan } from '../plan/plan';
import { modelOf, textOf, type AnalysedSites } from '../model/gap/gaps';
import type { Cause, TimeModel } from '../model/timeModel';

export interface Fall {
  /** `rest`: what the model expects beside all causes, such as the first tile; `unexplained`: what it does not. */
  readonly cause: Cause | 'rest' | 'unexplained';
  /** What it adds to the time; only what is unexplained may be negative. */
  readonly milliseconds: number;
  /** Of the time that is predicted over the roof's; of what is unexplained, of the measured time. */
  readonly share: number;
  /** What is left of the rate with this and all falls before it. */
  readonly tflops: number;
  /** In words; of the causes only. */
  readonly text?: string;
}

export interface Waterfall {
  readonly roof: { readonly tflops: number; readonly milliseconds: number };
  /** From the roof to the prediction, the largest first. */
  readonly falls: readonly Fall[];
  readonly predicted: { readonly tflops: number; readonly milliseconds: number };
  /** The newest run on the device, and what the model does not explain of it; null where there is none. */
  readonly measured: {
    readonly tflops: number;
    readonly milliseconds: number;
    readonly unexplained: Fall;
  } | null;
}

/** Less than this of the time is not worth a step of its own: it is in the rest. */
const LEAST_SHARE = 0.002;

interface AnalysedKernel extends AnalysedSites {
  readonly roofline: Roofline;
}

/** Null where the model says nothing, or no roof is known. */
export function waterfall(analysis: AnalysedKernel, plan: Plan | null): Waterfall | null {
  const { roofline } = analysis;
  const model = modelOf(analysis, plan);
  const attainable = roofline.attainable.value;
  if (plan === null || model === null || !(attainable > 0)) return null;
  const operations = flops(plan.spec.problem);
  const rateOf = (milliseconds: number): number => operations / milliseconds / 1e9;
  const roof = operations / attainable / 1e9;
  const predicted = { tflops: model.tflops, milliseconds: model.milliseconds };
  // Where DRAM is the roof, its time is not a loss under it.
  const causes = model.causes.filter(cause => cause !== 'dram' || roofline.bound !== 'memory');
  const losses = lossesOf(model, causes, roof).filter(
    ({ milliseconds }) => milliseconds >= LEAST_SHARE * predicted.milliseconds,
  );
  const gone = losses.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const rest = predicted.milliseconds - roof - gone;
  const run = roofline.points.findLast(({ kind }) => kind === 'measured');
  const taken = run === undefined ? null : operations / run.tflops / 1e9;
  const over = predicted.milliseconds - roof;
  const share = (milliseconds: number): number => (over > 0 ? milliseconds / over : 0);
  let reached = roof;
  const falls = [...losses, { cause: 'rest' as const, milliseconds: rest }]
    .filter(({ milliseconds }) => milliseconds > 0)
    .sort((one, other) => other.milliseconds - one.milliseconds)
    .map(({ cause, milliseconds }): Fall => {
      reached += milliseconds;
      const tflops = rateOf(reached);
      const base = { cause, milliseconds, share: share(milliseconds), tflops };
      if (cause === 'rest') return base;
      const without = rateOf(model.millisecondsWithout([cause]));
      return { ...base, text: textOf(model, cause, without) };
    });
  return {
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

interface Loss {
  readonly cause: Cause;
  readonly milliseconds: number;
}

/** The causes in the order in which they are taken away; never to less than the roof's time. */
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
