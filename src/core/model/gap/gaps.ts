/**
 * Explains the gap between a kernel's rate and the ceiling: for each loss, the rate without that
 * loss.
 */
import { readable } from '../../text/digits';
import { deviceOf, isDeviceId } from '../../hardware/devices';
import type { Plan } from '../../plan/plan';
import type { OccupancyReport } from '../../occupancy/report';
import type { GlobalAccess, SharedAccess } from '../../memory/access';
import { analyzedCosts } from '../siteCosts';
import { timeModel, type Cause, type TimeModel } from '../timeModel';

export interface ExplainedGap {
  readonly cause: Cause;
  /** Rate without this loss and with all other losses, in TFLOP/s. */
  readonly tflopsWithout: number;
  /** Fraction of the total time that the loss causes, 0..1. */
  readonly share: number;
  readonly text: string;
}

export interface AnalyzedSites {
  readonly device: string;
  readonly occupancy: Pick<OccupancyReport, 'blocksPerSm'> | null;
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
}

export const modelOf = (analysis: AnalyzedSites, plan: Plan | null): TimeModel | null =>
  plan === null || !isDeviceId(analysis.device)
    ? null
    : timeModel({
        plan,
        device: deviceOf(analysis.device),
        occupancy: analysis.occupancy,
        costs: analyzedCosts(analysis.globalMemory, analysis.sharedMemory),
      });

const MIN_SHARE = 0.005;

/**
 * Returns the losses in descending order, or an empty list if no model applies. The losses overlap,
 * so their sum may exceed the gap.
 */
export function explainedGaps(analysis: AnalyzedSites, plan: Plan | null): readonly ExplainedGap[] {
  const model = modelOf(analysis, plan);
  if (model === null) return [];
  return model.causes
    .map(cause => {
      const milliseconds = model.millisecondsWithout([cause]);
      const tflopsWithout = (model.tflops * model.milliseconds) / milliseconds;
      const text = textOf(model, cause, tflopsWithout);
      return { cause, tflopsWithout, share: 1 - milliseconds / model.milliseconds, text };
    })
    .filter(({ share }) => share >= MIN_SHARE)
    .sort((left, right) => right.share - left.share);
}

/** Returns the sentence about a loss, or an empty string if the model has none. */
export const textOf = ({ texts }: TimeModel, cause: Cause, tflopsWithout: number): string =>
  texts()[cause]?.(readable(tflopsWithout)) ?? '';
