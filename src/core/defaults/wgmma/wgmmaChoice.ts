/** Chooses the `wgmma` schedule with the shortest predicted time. */
import {
  boundedWork,
  predictKernel,
  warpGroupMachine,
  type KernelInput,
  type WarpGroupPrediction,
} from '../../cost/wgmma/wgmmaModel';
import { correctedMilliseconds } from '../../cost/wgmma/wgmmaCorrection';
import { warpGroupsOn } from '../../cost/wgmma/wgmmaCalibration';
import { shapeClass } from '../../cost/shapeClass';
import { findDevice } from '../../hardware/devices';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import { RANKED, type PredictedSchedule } from '../predictedSchedule';
import { scheduleOf, warpGroupCandidates, type WarpGroupCandidate } from './wgmmaCandidates';

/**
 * Names the operand order where the default of a partial schedule is another one
 * (wgmmaDefaults.ts), so that a written spec resolves to the same schedule.
 */
const withOrder = ({ c }: ResolvedProblem, schedule: ResolvedSchedule): ResolvedSchedule =>
  c.layout === 'col' && schedule.operandOrder === undefined
    ? { ...schedule, operandOrder: 'ab' }
    : schedule;

/** The time model does not distinguish launches, of which `flat` problems have two. */
const RANKED_BY_CLASS = { general: RANKED, flat: 2 * RANKED } as const;

interface Ranked {
  readonly candidate: WarpGroupCandidate;
  readonly prediction: WarpGroupPrediction;
}

interface Bounded {
  readonly candidate: WarpGroupCandidate;
  readonly bound: number;
  readonly work: ReturnType<typeof boundedWork>['work'];
}

/**
 * Returns up to `most` schedules, fastest prediction first. If all of them use two-pass split-K,
 * whose partial results may exceed the workspace limit, the fastest other schedule follows. Returns
 * an empty list for devices without the required rates. Legality is not checked here.
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
  const bounded: Bounded[] = [];
  for (const candidate of warpGroupCandidates(problem, deviceId, machine.multiprocessors)) {
    const { work, bound } = boundedWork(candidate.kernel, input);
    bounded.push({ candidate, work, bound });
  }
  bounded.sort((one, other) => one.bound - other.bound);
  const ranked = fastestOf(bounded, input, Math.max(most, RANKED_BY_CLASS[shapeClass(problem)]));
  const others = ranked.some(isSinglePass) ? [] : fastestOf(bounded.filter(isSinglePass), input, 1);
  const corrected = [...ranked, ...others]
    .map(({ candidate, prediction }) => ({
      candidate,
      milliseconds: correctedMilliseconds(candidate.kernel, prediction),
    }))
    .sort((one, other) => one.milliseconds - other.milliseconds);
  const fastest = corrected.slice(0, most);
  const added = fastest.some(isSinglePass) ? [] : corrected.filter(isSinglePass).slice(0, 1);
  return [...fastest, ...added].map(({ candidate, milliseconds }) => ({
    schedule: withOrder(problem, scheduleOf(candidate)),
    milliseconds,
  }));
}

const isSinglePass = ({ candidate }: { readonly candidate: WarpGroupCandidate }): boolean =>
  candidate.kernel.twoPass === undefined;

/** Returns the `kept` fastest predictions of candidates in the order of their bounds. */
function fastestOf(bounded: readonly Bounded[], input: KernelInput, kept: number): Ranked[] {
  const best: Ranked[] = [];
  for (const { candidate, bound, work } of bounded) {
    const slowest =
      best.length < kept ? Infinity : (best.at(-1)?.prediction.milliseconds ?? Infinity);
    if (bound >= slowest) break;
    const prediction = predictKernel(candidate.kernel, input, work);
    const { milliseconds } = prediction;
    if (milliseconds >= slowest) continue;
    const faster = best.findLastIndex(other => other.prediction.milliseconds <= milliseconds);
    best.splice(faster + 1, 0, { candidate, prediction });
    if (best.length > kept) best.pop();
  }
  return best;
}
