/** What is expected of a kernel, and without some of what costs it time: the one face of both models. */
import { laneModel, type LaneCost } from './gap/laneGaps';
import { modelInput, warpGroupInput, type ModelInput } from './report';
import { warpGroupModel } from './wgmma/wgmmaGaps';
import type { WarpGroupCost } from './wgmma/wgmmaModel';

export type Cause = LaneCost | WarpGroupCost;

export interface TimeModel {
  readonly milliseconds: number;
  readonly tflops: number;
  /** What costs time. */
  readonly causes: readonly Cause[];
  readonly texts: () => Readonly<Partial<Record<Cause, TextOfCause>>>;
  /** What it expects if none of these cost anything. */
  readonly millisecondsWithout: (causes: readonly Cause[]) => number;
}

/** A cause in words: with the numbers that make it, and the rate (TFLOP/s) without it. */
export type TextOfCause = (rate: string) => string;

/** Null where neither model says anything: WGSL, units without a rate, and blocks that fit no SM. */
export function timeModel(given: ModelInput): TimeModel | null {
  const ofGroups = warpGroupInput(given);
  if (ofGroups !== null) return warpGroupModel(ofGroups);
  const input = modelInput(given);
  return input === null ? null : laneModel(input);
}
