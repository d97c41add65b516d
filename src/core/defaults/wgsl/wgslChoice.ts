/** Chooses the WGSL schedule with the shortest predicted time. */
import { wgslEstimate, wgslMilliseconds } from '../../cost/wgsl/wgslModel';
import { simtMachine } from '../../cost/simt/simtModel';
import { findDevice } from '../../hardware/devices';
import { flops, type ResolvedProblem } from '../../spec/resolved';
import type { PredictedSchedule } from '../predictedSchedule';
import { wgslCandidates } from './wgslCandidates';

/** Range of the fitted shapes, which are random (bench/h100-wgsl-random.jsonl). */
const FITTED = { leastExtent: 64, mostExtent: 16_384, leastFlops: 4e8 } as const;

/** Returns whether the fit covers a problem: FP32, row-major matrices, and the range of shapes. */
const isFitted = (problem: ResolvedProblem): boolean => {
  const { m, n, k, batch, a, b, c, accumulator } = problem;
  return (
    accumulator === 'f32' &&
    [a, b, c].every(({ dtype, layout }) => dtype === 'f32' && layout === 'row') &&
    batch === 1 &&
    Math.min(m, n, k) >= FITTED.leastExtent &&
    Math.max(m, n, k) <= FITTED.mostExtent &&
    flops(problem) >= FITTED.leastFlops
  );
};

/**
 * Returns up to `most` schedules, fastest prediction first. Returns an empty list for problems that
 * the fit does not cover. Legality is not checked here.
 */
export function wgslSchedules(
  problem: ResolvedProblem,
  deviceId: string,
  most: number,
): readonly PredictedSchedule[] {
  const device = findDevice(deviceId);
  const machine = device === undefined ? null : simtMachine(device);
  if (machine === null || !isFitted(problem)) return [];
  return [...wgslCandidates(problem, machine.multiprocessors)]
    .map(schedule => ({
      schedule,
      milliseconds: wgslMilliseconds(wgslEstimate(problem, schedule, machine)),
    }))
    .sort((one, other) => one.milliseconds - other.milliseconds)
    .slice(0, most);
}
