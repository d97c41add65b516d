/** Common interface of both time models: predicted time, with and without individual losses. */
import { laneModel, type LaneCost } from './gap/laneGaps';
import { modelInput, warpGroupInput, type ModelInput } from './report';
import { warpGroupModel } from './wgmma/wgmmaGaps';
import type { WarpGroupCost } from './wgmma/wgmmaModel';

export type Cause = LaneCost | WarpGroupCost;

export interface TimeModel {
  readonly milliseconds: number;
  readonly tflops: number;
  /** Losses that the model distinguishes. */
  readonly causes: readonly Cause[];
  readonly texts: () => Readonly<Partial<Record<Cause, CauseText>>>;
  /** Predicted time without these losses. */
  readonly millisecondsWithout: (causes: readonly Cause[]) => number;
}

/** Describes a loss with its figures and the rate (TFLOP/s) without it. */
export type CauseText = (rate: string) => string;

/**
 * Returns null if no model applies: WGSL, units without a rate, and blocks that do not fit on an
 * SM.
 */
export function timeModel(given: ModelInput): TimeModel | null {
  const ofGroups = warpGroupInput(given);
  if (ofGroups !== null) return warpGroupModel(ofGroups);
  const input = modelInput(given);
  return input === null ? null : laneModel(input);
}
