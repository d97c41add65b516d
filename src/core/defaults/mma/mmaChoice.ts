/**
 * `mma` schedules of problems whose operands TMA cannot load, ordered by their predicted time. They
 * compete with `wgmma` kernels, which need a pre-pass for these operands. The pre-pass reads and
 * writes all of A and B, so that `mma` is faster if C has few rows or columns.
 */
import { MMA, MMA_PREFETCHED, type MmaCalibration } from '../../cost/mma/mmaCalibration';
import { mmaMachine, mmaMilliseconds, type MmaKernel } from '../../cost/mma/mmaModel';
import { limitsOf } from '../../hardware/computeCapability';
import { findDevice } from '../../hardware/devices';
import { WARP_LANES } from '../../hardware/warp';
import { tileCount, type Sides } from '../../plan/tileCount';
import { compulsoryBytes } from '../../plan/traffic';
import { HOPPER_SHARED_BYTES } from '../../plan/wgmma/wgmmaUnits';
import { TMA_STRIDE_BYTES } from '../../plan/wgmma/wgmmaUnits';
import type { ResolvedOperand, ResolvedProblem } from '../../spec/resolved';
import { DTYPE_BYTES } from '../../types/dtype';
import { completeSchedule } from '../byShape';
import type { PredictedSchedule } from '../predictedSchedule';

export interface Tiles {
  readonly block: Sides;
  readonly warp: Sides;
}

/**
 * Block and warp tiles. All but the last one were fastest at some benchmarked shape
 * (bench/h100-mma-random.jsonl, h200-mma-fit.jsonl, h200-random.jsonl).
 */
const TILES: readonly Tiles[] = [
  { block: { m: 128, n: 256 }, warp: { m: 64, n: 64 } },
  { block: { m: 256, n: 128 }, warp: { m: 64, n: 64 } },
  { block: { m: 128, n: 192 }, warp: { m: 64, n: 48 } },
  { block: { m: 256, n: 96 }, warp: { m: 64, n: 48 } },
  { block: { m: 192, n: 128 }, warp: { m: 96, n: 32 } },
  { block: { m: 128, n: 128 }, warp: { m: 64, n: 32 } },
  { block: { m: 128, n: 96 }, warp: { m: 32, n: 48 } },
  { block: { m: 96, n: 128 }, warp: { m: 48, n: 32 } },
  { block: { m: 128, n: 80 }, warp: { m: 32, n: 40 } },
  { block: { m: 128, n: 64 }, warp: { m: 32, n: 32 } },
  { block: { m: 64, n: 256 }, warp: { m: 32, n: 64 } },
  { block: { m: 64, n: 128 }, warp: { m: 32, n: 64 } },
  { block: { m: 64, n: 64 }, warp: { m: 32, n: 32 } },
  { block: { m: 64, n: 32 }, warp: { m: 32, n: 16 } },
  { block: { m: 32, n: 128 }, warp: { m: 32, n: 32 } },
  { block: { m: 16, n: 128 }, warp: { m: 16, n: 32 } },
];
const SLICES = [1, 2, 4, 8, 16] as const;

/** Main loop: stages of asynchronous copies, or one tile that is prefetched in registers. */
export interface MainLoop {
  readonly name: 'asynchronous' | 'prefetched';
  readonly k: number;
  readonly stages: number;
  readonly calibration: MmaCalibration;
}
const ASYNCHRONOUS: MainLoop = { name: 'asynchronous', k: 64, stages: 4, calibration: MMA };
const PREFETCHED: MainLoop = {
  name: 'prefetched',
  k: 32,
  stages: 2,
  calibration: MMA_PREFETCHED,
};

const INSTRUCTION = { m: 16, n: 8, k: 16 } as const;
const ELEMENT_BYTES = 2;
/** Minimum width of an asynchronous copy (PTX ISA, "cp.async"). */
const MIN_COPY_BYTES = 4;
/** Wider copies, up to the access width of a lane, need rows that are multiples of the width. */
const COPY_WIDTHS = [16, 8, 4, 2] as const;

const copyWidth = ({ ld, batchStride }: ResolvedOperand, batch: number): number =>
  COPY_WIDTHS.find(
    width =>
      (ld * ELEMENT_BYTES) % width === 0 &&
      (batch === 1 || (batchStride * ELEMENT_BYTES) % width === 0),
  ) ?? ELEMENT_BYTES;

const narrowestCopy = ({ a, b, batch }: ResolvedProblem): number =>
  Math.min(copyWidth(a, batch), copyWidth(b, batch));

/** Returns the main loop of a problem: asynchronous copies unless an operand has odd rows. */
export const mainLoopOf = (problem: ResolvedProblem): MainLoop =>
  narrowestCopy(problem) < MIN_COPY_BYTES ? PREFETCHED : ASYNCHRONOUS;

/**
 * Returns up to `most` schedules, fastest prediction first. Returns an empty list unless the
 * operands have 16 bits and TMA cannot load one of them. Legality is not checked here.
 */
export function mmaSchedules(
  problem: ResolvedProblem,
  deviceId: string,
  most: number,
): readonly PredictedSchedule[] {
  const device = findDevice(deviceId);
  const machine = device === undefined ? null : mmaMachine(device);
  if (machine === null || DTYPE_BYTES[problem.a.dtype] !== ELEMENT_BYTES) return [];
  if (narrowestCopy(problem) === TMA_STRIDE_BYTES) return [];
  const loop = mainLoopOf(problem);
  return TILES.flatMap(tiles =>
    SLICES.map(splitK => ({
      schedule: scheduleOf(tiles, splitK, loop),
      milliseconds: mmaMilliseconds(
        kernelOf(problem, { tiles, splitK }, loop),
        machine,
        loop.calibration,
      ),
    })),
  )
    .sort((one, other) => one.milliseconds - other.milliseconds)
    .slice(0, most)
    .map(({ schedule, milliseconds }) => ({
      schedule: completeSchedule(schedule, problem, { device: deviceId, targets: ['cuda'] }),
      milliseconds,
    }));
}

const scheduleOf = ({ block, warp }: Tiles, splitK: number, { k, stages }: MainLoop) => ({
  algorithm: 'mma' as const,
  block: { ...block, k },
  warp,
  mma: INSTRUCTION,
  stages,
  ...(splitK === 1 ? {} : { splitK }),
});

/** Typical registers per thread for accumulators, fragments and copies; they limit the blocks. */
const registersPerThread = ({ warp }: Tiles): number =>
  Math.min(255, 64 + (2 * warp.m * warp.n) / WARP_LANES);

/** Returns the quantities of a kernel that determine its predicted time. */
export function kernelOf(
  problem: ResolvedProblem,
  { tiles, splitK }: { readonly tiles: Tiles; readonly splitK: number },
  { k: depth, stages }: Pick<MainLoop, 'k' | 'stages'>,
): MmaKernel {
  const { block, warp } = tiles;
  const { m, n, k, batch, a, b } = problem;
  const along = tileCount(problem, block);
  const threads = ((block.m * block.n) / (warp.m * warp.n)) * WARP_LANES;
  const sharedBytes = stages * (block.m + block.n) * depth * ELEMENT_BYTES;
  const { maxThreadsPerSm, registersPerSm } = limitsOf('9.0');
  return {
    tile: { ...block, k: depth },
    stages,
    splitK,
    blocks: along.m * along.n * batch * splitK,
    blocksPerSm: Math.max(
      1,
      Math.floor(
        Math.min(
          HOPPER_SHARED_BYTES / sharedBytes,
          maxThreadsPerSm / threads,
          registersPerSm / (threads * registersPerThread(tiles)),
        ),
      ),
    ),
    steps: Math.ceil(Math.ceil(k / depth) / splitK),
    copied: [
      {
        rows: m / along.m,
        widthBytes: copyWidth(a, batch),
        isTransposed: a.layout === 'col',
      },
      {
        rows: n / along.n,
        widthBytes: copyWidth(b, batch),
        isTransposed: b.layout === 'row',
      },
    ],
    compulsoryBytes: compulsoryBytes(problem),
    outputs: m * n * batch,
  };
}
