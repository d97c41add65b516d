/** Orders the `gemv` schedules of an FP32 problem by their predicted time. */
import { gemvBlocksPerSm, gemvMilliseconds, type GemvKernel } from '../../cost/simt/gemvModel';
import { findDevice } from '../../hardware/devices';
import { gemvRegistersPerThread } from '../../plan/registers';
import { tileCount } from '../../plan/tileCount';
import { compulsoryBytes } from '../../plan/traffic';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import { DTYPE_BYTES } from '../../types/dtype';
import { simtMachine } from '../../cost/simt/simtModel';
import type { PredictedSchedule } from '../predictedSchedule';
import { gemvSchedule, gemvTiles, type GemvTile } from './gemvSchedules';
import type { OpenSpec } from './simtCandidates';

/**
 * Maximum number of rows of A for which `gemv` is a default. Its speed with more rows is not
 * measured yet; `tune` races it for up to four rows.
 */
const DEFAULT_ROWS = 1;
const ELEMENT_BYTES = DTYPE_BYTES.f32;
/** Minimum k-iterations of a split-K slice, and maximum number of slices. */
const LEAST_STEPS = 4;
const MAX_SLICES = 64;

/** Returns up to `most` schedules, fastest prediction first. Legality is not checked here. */
export function gemvChoices(spec: OpenSpec, most: number): readonly PredictedSchedule[] {
  const { problem } = spec;
  const device = findDevice(spec.device);
  const machine = device === undefined ? null : simtMachine(device);
  if (machine === null || problem.m > DEFAULT_ROWS) return [];
  return gemvTiles(problem)
    .flatMap(tile => splitsOf(problem, tile, machine.multiprocessors))
    .map(({ schedule, kernel }) => ({ schedule, milliseconds: gemvMilliseconds(kernel, machine) }))
    .sort((one, other) => one.milliseconds - other.milliseconds)
    .slice(0, most);
}

interface Candidate {
  readonly schedule: ResolvedSchedule;
  readonly kernel: GemvKernel;
}

/** Returns a tile without split-K, and with slices that the SMs can execute in one round. */
function splitsOf(
  problem: ResolvedProblem,
  tile: GemvTile,
  multiprocessors: number,
): readonly Candidate[] {
  const schedule = gemvSchedule(problem.m, tile);
  const { m } = problem;
  const tiles = tileCount(problem, { m, n: tile.threads.n * tile.columns });
  const blocks = tiles.m * tiles.n * problem.batch;
  const kernel = {
    threads: tile.threads.n * tile.threads.k,
    registersPerThread: gemvRegistersPerThread(problem, {
      thread: { m, n: tile.columns },
      depth: tile.depth,
    }),
    bytesPerThread: tile.columns * tile.depth * ELEMENT_BYTES,
    results: problem.m * problem.n * problem.batch,
    compulsoryBytes: compulsoryBytes(problem),
  };
  const steps = Math.ceil(problem.k / (tile.threads.k * tile.depth));
  const most = Math.min(
    MAX_SLICES,
    Math.floor(steps / LEAST_STEPS),
    Math.floor((multiprocessors * gemvBlocksPerSm(kernel)) / blocks),
  );
  return [1, 2, 4, 8, 16, 32, MAX_SLICES]
    .filter(splitK => splitK === 1 || splitK <= most)
    .map(splitK => ({
      schedule:
        splitK === 1 ? schedule : { ...schedule, splitK, splitKReduction: 'two-pass' as const },
      kernel: { ...kernel, splitK, blocks: blocks * splitK },
    }));
}
