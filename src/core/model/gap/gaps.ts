/** Why a kernel stays below its roof: what it would reach if one thing at a time cost nothing. */
import { readable } from '../../text/digits';
import { deviceOf, isDeviceId } from '../../hardware/devices';
import type { Plan } from '../../plan/plan';
import type { OccupancyReport } from '../../occupancy/report';
import type { GlobalAccess, SharedAccess } from '../../memory/access';
import { analysedCosts } from '../siteCosts';
import { timeModel, type Cause, type TimeModel } from '../timeModel';

export interface ExplainedGap {
  readonly cause: Cause;
  /** TFLOP/s if it cost nothing, all else as it is. */
  readonly tflopsWithout: number;
  /** Of the time, 0..1. */
  readonly share: number;
  readonly text: string;
}

/** The part of an analysis that the time model reads. */
export interface AnalysedSites {
  readonly device: string;
  readonly occupancy: Pick<OccupancyReport, 'blocksPerSm'> | null;
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
}

/** What the models of time say of an analysed kernel; null where they say nothing. */
export const modelOf = (analysis: AnalysedSites, plan: Plan | null): TimeModel | null =>
  plan === null || !isDeviceId(analysis.device)
    ? null
    : timeModel({
        plan,
        device: deviceOf(analysis.device),
        occupancy: analysis.occupancy,
        costs: analysedCosts(analysis.globalMemory, analysis.sharedMemory),
      });

/** Less than this of the time is not worth a line. */
const LEAST_SHARE = 0.005;

/** Largest first. They overlap: together they may be more than the whole gap. */
export function explainedGaps(analysis: AnalysedSites, plan: Plan | null): readonly ExplainedGap[] {
  const model = modelOf(analysis, plan);
  if (model === null) return [];
  return model.causes
    .map(cause => {
      const milliseconds = model.millisecondsWithout([cause]);
      const tflopsWithout = (model.tflops * model.milliseconds) / milliseconds;
      const text = textOf(model, cause, tflopsWithout);
      return { cause, tflopsWithout, share: 1 - milliseconds / model.milliseconds, text };
    })
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((left, right) => right.share - left.share);
}

/** What the cause is, in words. */
export const textOf = ({ texts }: TimeModel, cause: Cause, tflopsWithout: number): string =>
  texts()[cause]?.(readable(tflopsWithout)) ?? '';
