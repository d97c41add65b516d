/** Chooses the `wgmma` schedule with the shortest predicted time. */
import { boundMilliseconds, predictKernel, warpGroupMachine } from '../../cost/wgmma/wgmmaModel';
import { warpGroupsOn } from '../../cost/wgmma/wgmmaCalibration';
import { findDevice } from '../../hardware/devices';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import type { PredictedSchedule } from '../predictedSchedule';
import { scheduleOf, warpGroupCandidates, type WarpGroupCandidate } from './wgmmaCandidates';

/**
 * Names the operand order where the default of a partial schedule is another one
 * (wgmmaDefaults.ts), so that a written spec resolves to the same schedule.
 */
const withOrder = ({ c }: ResolvedProblem, schedule: ResolvedSchedule): ResolvedSchedule =>
  c.layout === 'col' && schedule.operandOrder === undefined
    ? { ...schedule, operandOrder: 'ab' }
    : schedule;

/**
 * Returns up to `most` schedules, fastest prediction first. Returns an empty list for devices
 * without the required rates. Legality is not checked here.
 */
export function predictedSchedules(
  problem: ResolvedProblem,
  deviceId: string,
  most: number,
): readonly PredictedSchedule[] {
  const device = findDevice(deviceId);
  const machine = device === undefined ? null : warpGroupMachine(device);
  if (machine === null) return [];
  const input = { machine, calibration: warpGroupsOn(machine.device).calibration };
  // The bound omits the power limit, whose clock takes many evaluations. Few candidates need a
  // prediction in the order of the bounds.
  const bounded = [...warpGroupCandidates(problem, deviceId, machine.multiprocessors)]
    .map(candidate => ({ candidate, bound: boundMilliseconds(candidate.kernel, input) }))
    .sort((one, other) => one.bound - other.bound);
  const best: { readonly candidate: WarpGroupCandidate; readonly milliseconds: number }[] = [];
  for (const { candidate, bound } of bounded) {
    const slowest = best.length < most ? Infinity : (best.at(-1)?.milliseconds ?? Infinity);
    if (bound >= slowest) break;
    const { milliseconds } = predictKernel(candidate.kernel, input);
    if (milliseconds >= slowest) continue;
    best.push({ candidate, milliseconds });
    best.sort((one, other) => one.milliseconds - other.milliseconds);
    if (best.length > most) best.pop();
  }
  return best.map(({ candidate, milliseconds }) => ({
    schedule: withOrder(problem, scheduleOf(candidate)),
    milliseconds,
  }));
}
