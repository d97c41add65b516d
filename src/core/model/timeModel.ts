/**
 * Common interface of the two time models, which predict the time with and without individual
 * losses.
 */
import { laneModel, type LaneCost } from './gap/laneGaps';
import { warpGroupInput } from '../cost/wgmma/wgmmaInput';
import { modelInput, type ModelInput } from './report';
import { warpGroupModel } from './wgmma/wgmmaGaps';
import type { WarpGroupCost } from '../cost/wgmma/wgmmaModel';

export type Cause = LaneCost | WarpGroupCost;

export interface TimeModel {
  readonly milliseconds: number;
  readonly tflops: number;
  readonly causes: readonly Cause[];
  readonly texts: () => Readonly<Partial<Record<Cause, CauseText>>>;
  readonly millisecondsWithout: (causes: readonly Cause[]) => number;
}

/**
 * Formats a sentence about a loss. `rate` is the rate in TFLOP/s that the kernel reaches without
 * this loss.
 */
export type CauseText = (rate: string) => string;

/**
 * Returns the time model of a plan. Returns null for WGSL, for `gemv`, for units without a known
 * rate, and for blocks that do not fit on an SM.
 */
export function timeModel(given: ModelInput): TimeModel | null {
  const ofGroups = warpGroupInput(given);
  if (ofGroups !== null) return warpGroupModel(ofGroups);
  const input = modelInput(given);
  return input === null ? null : laneModel(input);
}
