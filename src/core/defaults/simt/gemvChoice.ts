/** Orders the `gemv` schedules of an FP32 problem by their predicted time. */
import { gemvBlocksPerSm, gemvMilliseconds, type GemvKernel } from '../../cost/simt/gemvModel';
import { simtMachine, type SimtMachine } from '../../cost/simt/simtModel';
import { findDevice } from '../../hardware/devices';
import { gemvRegistersPerThread } from '../../plan/registers';
import { tileCount } from '../../plan/tileCount';
import { compulsoryBytes } from '../../plan/traffic';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import { DTYPE_BYTES } from '../../types/dtype';
import type { PredictedSchedule } from '../predictedSchedule';
import { gemvSchedule, gemvTiles } from './gemvSchedules';
import type { OpenSpec } from './simtCandidates';

/**
 * Maximum number of rows of A for which `gemv` is a default. It was not benchmarked with more rows,
 * for which `tune` searches it.
 */
const DEFAULT_ROWS = 1;

/** Returns whether `gemv` is a candidate for the default of a problem. */
export const isGemvCandidate = ({ m }: ResolvedProblem): boolean => m <= DEFAULT_ROWS;

/** Minimum k-iterations of a split-K slice. */
const LEAST_STEPS = 4;
const SLICES = [1, 2, 4, 8, 16, 32, 64];

/** Returns up to `most` schedules, fastest prediction first. Legality is not checked here. */
export function gemvChoices(spec: OpenSpec, most: number): readonly PredictedSchedule[] {
  const { problem } = spec;
  const machine = machineOf(spec);
  if (machine === null || !isGemvCandidate(problem)) return [];
  return gemvTiles(problem)
    .flatMap(tile => splitsOf(problem, gemvSchedule(problem.m, tile), machine))
    .map(schedule => ({
      schedule,
      milliseconds: gemvMilliseconds(gemvKernelOf(problem, schedule), machine),
    }))
    .sort((one, other) => one.milliseconds - other.milliseconds)
    .slice(0, most);
}

/** Returns a function that predicts a schedule; null for a device without the required rates. */
export function gemvPrediction(
  spec: OpenSpec,
): ((schedule: ResolvedSchedule) => PredictedSchedule) | null {
  const machine = machineOf(spec);
  return machine === null
    ? null
    : schedule => ({
        schedule,
        milliseconds: gemvMilliseconds(gemvKernelOf(spec.problem, schedule), machine),
      });
}

function machineOf({ device: id }: OpenSpec): SimtMachine | null {
  const device = findDevice(id);
  return device === undefined ? null : simtMachine(device);
}

/** Returns the model of a kernel, whose schedule sets block and thread tiles. */
export function gemvKernelOf(problem: ResolvedProblem, schedule: ResolvedSchedule): GemvKernel {
  const { splitK = 1 } = schedule;
  const { m = 1, n = 1, k = 1 } = schedule.block ?? {};
  const { n: columns = 1, k: depth = 1 } = schedule.thread ?? {};
  const tiles = tileCount(problem, { m, n });
  return {
    threads: (n / columns) * (k / depth),
    registersPerThread: gemvRegistersPerThread(problem, { thread: { m, n: columns }, depth }),
    bytesPerThread: columns * depth * DTYPE_BYTES[problem.b.dtype],
    blocks: tiles.m * tiles.n * problem.batch * splitK,
    splitK,
    results: problem.m * problem.n * problem.batch,
    compulsoryBytes: compulsoryBytes(problem),
  };
}

/** Returns a schedule without split-K, and with slices that the SMs can execute in one round. */
function splitsOf(
  problem: ResolvedProblem,
  schedule: ResolvedSchedule,
  { multiprocessors }: SimtMachine,
): readonly ResolvedSchedule[] {
  const kernel = gemvKernelOf(problem, schedule);
  const steps = Math.ceil(problem.k / (schedule.block?.k ?? 1));
  const most = Math.min(
    Math.floor(steps / LEAST_STEPS),
    Math.floor((multiprocessors * gemvBlocksPerSm(kernel)) / kernel.blocks),
  );
  const slices = SLICES.filter(splitK => splitK === 1 || splitK <= most)
    // The last slice must not be empty.
    .map(splitK => Math.ceil(steps / Math.ceil(steps / splitK)));
  return [...new Set(slices)].map(splitK =>
    splitK === 1 ? schedule : { ...schedule, splitK, splitKReduction: 'two-pass' as const },
  );
}
