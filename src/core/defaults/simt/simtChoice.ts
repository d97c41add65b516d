/** Orders the SIMT schedules of an FP32 problem by their predicted time. */
import type { CorrectionTrees } from '../../cost/boostedTrees';
import { shapeClass } from '../../cost/shapeClass';
import { SIMT } from '../../cost/simt/simtCalibration';
import { correctedSimtMs, SIMT_CORRECTION } from '../../cost/simt/simtCorrection';
import { simtMachine, simtMilliseconds, simtPrediction } from '../../cost/simt/simtModel';
import { findDevice } from '../../hardware/devices';
import type { ResolvedProblem } from '../../spec/resolved';
import { RANKED, type PredictedSchedule } from '../predictedSchedule';
import { isGemvCandidate } from './gemvChoice';
import { scheduleOf, simtCandidates, type OpenSpec } from './simtCandidates';

/**
 * Returns the trees that correct the predictions for a problem. Returns null where the predictions
 * are compared with `gemv`, whose model has no correction.
 */
export const correctionFor = (problem: ResolvedProblem): CorrectionTrees | null =>
  isGemvCandidate(problem) ? null : SIMT_CORRECTION[shapeClass(problem)];

/**
 * Returns up to `most` schedules, fastest prediction first. Returns an empty list for devices
 * without the required rates. Legality is not checked here.
 */
export function simtSchedules(spec: OpenSpec, most: number): readonly PredictedSchedule[] {
  const { problem } = spec;
  const device = findDevice(spec.device);
  const machine = device === undefined ? null : simtMachine(device);
  if (machine === null) return [];
  const calibration = SIMT[shapeClass(problem)];
  const correction = correctionFor(problem);
  const ranked = [...simtCandidates(spec, machine.multiprocessors, calibration)]
    .map(candidate => ({
      candidate,
      milliseconds: simtMilliseconds(candidate.kernel, machine, calibration),
    }))
    .sort((one, other) => one.milliseconds - other.milliseconds)
    .slice(0, Math.max(most, RANKED));
  const corrected = ranked.map(({ candidate, milliseconds }) => ({
    candidate,
    milliseconds:
      correction === null
        ? milliseconds
        : correctedSimtMs(
            candidate.kernel,
            simtPrediction(candidate.kernel, machine, calibration),
            correction,
          ),
  }));
  return corrected
    .sort((one, other) => one.milliseconds - other.milliseconds)
    .slice(0, most)
    .map(({ candidate, milliseconds }) => ({ schedule: scheduleOf(candidate), milliseconds }));
}
