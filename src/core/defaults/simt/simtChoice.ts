/** Orders the SIMT schedules of an FP32 problem by their predicted time. */
import { SIMT } from '../../cost/simt/simtCalibration';
import { simtMachine, simtMilliseconds } from '../../cost/simt/simtModel';
import { findDevice } from '../../hardware/devices';
import type { PredictedSchedule } from '../predictedSchedule';
import { scheduleOf, simtCandidates, type OpenSpec } from './simtCandidates';
import { simtClass } from './simtSchedules';

/**
 * Returns up to `most` schedules, fastest prediction first. Returns an empty list for devices
 * without the required rates. Legality is not checked here.
 */
export function simtSchedules(spec: OpenSpec, most: number): readonly PredictedSchedule[] {
  const device = findDevice(spec.device);
  const machine = device === undefined ? null : simtMachine(device);
  if (machine === null) return [];
  const calibration = SIMT[simtClass(spec.problem)];
  return [...simtCandidates(spec, machine.multiprocessors, calibration)]
    .map(candidate => ({
      candidate,
      milliseconds: simtMilliseconds(candidate.kernel, machine, calibration),
    }))
    .sort((one, other) => one.milliseconds - other.milliseconds)
    .slice(0, most)
    .map(({ candidate, milliseconds }) => ({ schedule: scheduleOf(candidate), milliseconds }));
}
