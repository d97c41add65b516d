/**
 * `mma` schedules of problems whose operands TMA cannot load, ordered by their predicted time. They
 * compete with `wgmma` kernels, which need a pre-pass for these operands. The pre-pass reads and
 * writes all of A and B, so that `mma` is faster if C has few rows or columns.
 */
import { MMA } from '../../cost/mma/mmaCalibration';
import { mmaMachine, mmaMilliseconds, type MmaKernel } from '../../cost/mma/mmaModel';
import { limitsOf } from '../../hardware/computeCapability';
import { findDevice } from '../../hardware/devices';
import { WARP_LANES } from '../../hardware/warp';
import { tileCount, type Sides } from '../../plan/tileCount';
import { compulsoryBytes } from '../../plan/traffic';
import { HOPPER_SHARED_BYTES, TMA_STRIDE_BYTES } from '../../plan/wgmma/wgmma';
import type { ResolvedOperand, ResolvedProblem } from '../../spec/resolved';
import { DTYPE_BYTES } from '../../types/dtype';
import { completeSchedule } from '../byShape';
import type { PredictedSchedule } from '../predictedSchedule';

interface Tiles {
  readonly block: Sides;
  readonly warp: Sides;
}

/** Block and warp tiles that were fastest at some benchmarked shape (h100-mma-random.jsonl). */
const TILES: readonly Tiles[] = [
  { block: { m: 128, n: 128 }, warp: { m: 64, n: 32 } },
  { block: { m: 128, n: 96 }, warp: { m: 32, n: 48 } },
  { block: { m: 128, n: 80 }, warp: { m: 32, n: 40 } },
  { block: { m: 128, n: 64 }, warp: { m: 32, n: 32 } },
  { block: { m: 64, n: 128 }, warp: { m: 32, n: 64 } },
  { block: { m: 64, n: 64 }, warp: { m: 32, n: 32 } },
  { block: { m: 64, n: 32 }, warp: { m: 32, n: 16 } },
  { block: { m: 32, n: 128 }, warp: { m: 32, n: 32 } },
  { block: { m: 16, n: 128 }, warp: { m: 16, n: 32 } },
];
const SLICES = [1, 4, 8, 16] as const;
const K_EXTENT = 64;
const STAGES = 4;
const INSTRUCTION = { m: 16, n: 8, k: 16 } as const;
const ELEMENT_BYTES = 2;
/** Minimum width of an asynchronous copy (PTX ISA, "cp.async"). */
const MIN_COPY_BYTES = 4;
/** Typical registers per thread of these kernels, which limit the resident blocks. */
const REGISTERS_PER_THREAD = 128;
/** Wider copies, up to the access width of a lane, need rows that are multiples of the width. */
const COPY_WIDTHS = [16, 8, 4, 2] as const;

const copyWidth = ({ ld, batchStride }: ResolvedOperand, batch: number): number =>
  COPY_WIDTHS.find(
    width =>
      (ld * ELEMENT_BYTES) % width === 0 &&
      (batch === 1 || (batchStride * ELEMENT_BYTES) % width === 0),
  ) ?? ELEMENT_BYTES;

/**
 * Returns up to `most` schedules, fastest prediction first. Returns an empty list unless the
 * operands have 16 bits, TMA cannot load one of them, and asynchronous copies can. Legality is not
 * checked here.
 */
export function mmaSchedules(
  problem: ResolvedProblem,
  deviceId: string,
  most: number,
): readonly PredictedSchedule[] {
  const device = findDevice(deviceId);
  const machine = device === undefined ? null : mmaMachine(device);
  const { a, b, batch } = problem;
  const narrowest = Math.min(copyWidth(a, batch), copyWidth(b, batch));
  if (machine === null || DTYPE_BYTES[a.dtype] !== ELEMENT_BYTES) return [];
  if (narrowest === TMA_STRIDE_BYTES || narrowest < MIN_COPY_BYTES) return [];
  return TILES.flatMap(tiles =>
    SLICES.map(splitK => ({
      schedule: scheduleOf(tiles, splitK),
      milliseconds: mmaMilliseconds(kernelOf(problem, tiles, splitK), machine, MMA),
    })),
  )
    .sort((one, other) => one.milliseconds - other.milliseconds)
    .slice(0, most)
    .map(({ schedule, milliseconds }) => ({
      schedule: completeSchedule(schedule, problem, { device: deviceId, targets: ['cuda'] }),
      milliseconds,
    }));
}

const scheduleOf = ({ block, warp }: Tiles, splitK: number) => ({
  algorithm: 'mma' as const,
  block: { ...block, k: K_EXTENT },
  warp,
  mma: INSTRUCTION,
  stages: STAGES,
  ...(splitK === 1 ? {} : { splitK }),
});

/** Returns the quantities of a kernel that determine its predicted time. */
export function kernelOf(
  problem: ResolvedProblem,
  { block, warp }: Tiles,
  splitK: number,
): MmaKernel {
  const { m, n, k, batch, a, b } = problem;
  const tiles = tileCount(problem, block);
  const threads = ((block.m * block.n) / (warp.m * warp.n)) * WARP_LANES;
  const sharedBytes = STAGES * (block.m + block.n) * K_EXTENT * ELEMENT_BYTES;
  const { maxThreadsPerSm, registersPerSm } = limitsOf('9.0');
  return {
    tile: { ...block, k: K_EXTENT },
    stages: STAGES,
    splitK,
    blocks: tiles.m * tiles.n * batch * splitK,
    blocksPerSm: Math.floor(
      Math.min(
        HOPPER_SHARED_BYTES / sharedBytes,
        maxThreadsPerSm / threads,
        registersPerSm / (threads * REGISTERS_PER_THREAD),
      ),
    ),
    steps: Math.ceil(Math.ceil(k / K_EXTENT) / splitK),
    copied: [
      {
        rows: m / tiles.m,
        widthBytes: copyWidth(a, batch),
        isTransposed: a.layout === 'col',
      },
      {
        rows: n / tiles.n,
        widthBytes: copyWidth(b, batch),
        isTransposed: b.layout === 'row',
      },
    ],
    compulsoryBytes: compulsoryBytes(problem),
    outputs: m * n * batch,
  };
}
