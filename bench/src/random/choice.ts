/** Predicted schedules of a problem, of all algorithms that its default considers. */
import type { OpenSpec } from '../../../src/core/defaults/simt/simtCandidates';
import { gemvChoices } from '../../../src/core/defaults/simt/gemvChoice';
import { simtSchedules } from '../../../src/core/defaults/simt/simtChoice';
import { mmaSchedules } from '../../../src/core/defaults/mma/mmaChoice';
import { predictedSchedules } from '../../../src/core/defaults/wgmma/wgmmaChoice';
import type { PredictedSchedule } from '../../../src/core/defaults/predictedSchedule';

/** Number of schedules of `mma`, `gemv` and two-pass split-K, which precede all others. */
const OTHERS = { mma: 2, gemv: 2, twoPass: 4 } as const;

/** Returns the fastest predictions of each algorithm. */
export function choiceOf(spec: OpenSpec, most: number): readonly PredictedSchedule[] {
  const { problem, device } = spec;
  if (problem.a.dtype === 'f32')
    return [...gemvChoices(spec, OTHERS.gemv), ...simtSchedules(spec, most)];
  const groups = predictedSchedules(problem, device, most);
  const isTwoPass = ({ schedule }: PredictedSchedule): boolean =>
    schedule.splitKReduction === 'two-pass';
  return [
    ...mmaSchedules(problem, device, OTHERS.mma),
    ...groups.filter(isTwoPass).slice(0, OTHERS.twoPass),
    ...groups,
  ];
}
