/**
 * Plan of `wgmma` on Hopper, and of `mma` with `kernelSchedule` `tma`. Warp groups multiply tiles
 * that TMA loads into shared memory (specialization.ts). This file computes the plan of legal and
 * illegal specs; wgmmaRules.ts checks legality. The kernel source is in shaders/cuda/wgmma.
 */
import { findDevice } from '../../hardware/devices';
import { activeClusters } from '../../hardware/gpcs';
import { DTYPE_BYTES } from '../../types/dtype';
import {
  extent,
  type ResolvedOperand,
  type ResolvedProblem,
  type ResolvedSpec,
} from '../../spec/resolved';
import { productsOf } from '../../spec/epilogue';
import type { Schedule } from '../../spec/schema';
import { areMany, registersFor } from './wgmmaRegisters';
import type { Plan } from '../plan';
import { barrierBytes, isPersistent, isSpecialized, producersOf } from './specialization';
import type { BoxedOperand, WgmmaPlan } from './wgmmaPlan';
import { leastStagedBytes, MAX_BUFFERS, outputOf, stagedBytes } from './wgmmaOutput';
import {
  GROUP_ROWS,
  HOPPER_SHARED_BYTES,
  isBatchOff,
  PANEL,
  TMA_STRIDE_BYTES,
  WARP_GROUP,
} from './wgmmaUnits';
import { isSwapped, swappedSpec, swapMN } from '../swapAB';
import { elementOf, fp32EmulationOf } from '../fp32Emulation';
import { clusterSides, tileCount } from '../tileCount';
import { hasWarpGroups, isTmaMma, MMA_SIDES } from './tmaMma';
import { clusterSlicesOf, repackedBytes, slicesInGrid, twoPassOf } from './wgmmaTwoPass';

type Operand = 'a' | 'b';
type Tile = Plan['tile'];

/** Bytes along K of a `wgmma` instruction. */
const INSTRUCTION_BYTES = 32;
/**
 * Number of accumulators per thread and column of a 64-row instruction, whose 64 x N accumulators
 * are distributed over 128 threads.
 */
export const ACCUMULATORS_PER_COLUMN = GROUP_ROWS / WARP_GROUP;
/** Rows of repacked copies start at a cache line, because TMA loads such rows fastest. */
export const REPACKED_PITCH_BYTES = 128;
export const REPACK_THREADS = 256;
/**
 * Words that a thread of a repacking kernel copies. With several loads in flight, the copy
 * approaches the DRAM bandwidth.
 */
export const REPACK_WORDS = 4;

/**
 * Limits of the stage count. Default schedules have at most `usual` stages: more stages did not
 * help on an H200, except for matrices with few rows.
 */
export const STAGE_COUNTS = { least: 2, usual: 8, most: 16 } as const;

/**
 * Returns the number of accumulators per consumer thread. FP32 emulation doubles it, because a
 * thread also holds the FP32 totals.
 */
export const accumulatorsPerThread = (
  { rowsPerConsumer, fp32Emulation }: Pick<WgmmaPlan, 'rowsPerConsumer' | 'fp32Emulation'>,
  { n }: Pick<Tile, 'n'>,
): number =>
  (fp32Emulation === undefined ? 1 : 2) *
  (rowsPerConsumer / GROUP_ROWS) *
  n *
  ACCUMULATORS_PER_COLUMN;

export const isHopper = (device: string): boolean =>
  findDevice(device)?.computeCapability === '9.0';

type Planned = Pick<ResolvedSpec, 'problem' | 'schedule' | 'device'>;

export function wgmmaPlan(spec: Planned, tile: Tile): WgmmaPlan {
  const { schedule } = spec;
  if (!isSwapped(schedule)) return planned(spec, tile);
  const { cluster, a, b, ...plan } = planned(swappedSpec(spec), swappedTile(tile));
  const raster = rasterOf(schedule);
  return { ...plan, operandOrder: 'ba', cluster: swapMN(cluster), raster, a: b, b: a };
}

/**
 * Converts a plan with operand order `ba` to the plan of the computed GEMM. `schedule` is the
 * schedule after the swap.
 */
export const swappedPlan = (
  { cluster, a, b, ...plan }: WgmmaPlan,
  schedule: Schedule,
): WgmmaPlan => ({
  ...plan,
  operandOrder: 'ab',
  cluster: swapMN(cluster),
  raster: rasterOf(schedule),
  a: b,
  b: a,
});

export const swappedTile = (tile: Tile): Tile => ({ ...swapMN(tile), k: tile.k });

/**
 * Returns the tile of the computed GEMM. If operands are swapped, its rows are the columns of C.
 */
export const computedTile = (
  { operandOrder }: Pick<WgmmaPlan, 'operandOrder'>,
  tile: Tile,
): Tile => (operandOrder === 'ab' ? tile : swappedTile(tile));

const rasterOf = ({
  raster: { order = 'row', group = 1 } = {},
}: Schedule): WgmmaPlan['raster'] => ({
  order,
  group,
});

/** Computes the plan of the computed GEMM, that is, after swapping operands. */
function planned(spec: Planned, tile: Tile): WgmmaPlan {
  const { schedule } = spec;
  const { kernelSchedule = 'cooperative', consumers = 1 } = schedule;
  const { cluster = { m: 1, n: 1 }, stages = STAGE_COUNTS.least } = schedule;
  const emulation = fp32EmulationOf(schedule);
  const a = boxedOperand(spec, tile, { operand: 'a', share: cluster.n, offsetBytes: 0 });
  const relaidBytes = a.repacked === undefined ? 0 : workspaceOf(spec, a.repacked);
  const b = boxedOperand(spec, tile, {
    operand: 'b',
    share: cluster.m,
    offsetBytes: relaidBytes,
  });
  const copiedBytes = relaidBytes + (b.repacked === undefined ? 0 : workspaceOf(spec, b.repacked));
  const { twoPass, bytes: partialBytes } = twoPassOf(spec, tile, copiedBytes);
  const slices = {
    splitK: clusterSlicesOf(schedule),
    ...(twoPass === undefined ? {} : { twoPass }),
  };
  const rowsPerConsumer = kernelSchedule === 'pingpong' ? tile.m : tile.m / consumers;
  const sums = accumulatorsPerThread(
    { rowsPerConsumer, ...(emulation === undefined ? {} : { fp32Emulation: emulation }) },
    computedColumns(spec, tile),
  );
  const output = outputOf(spec, tile, {
    tileBytes: stages * (a.bytes + b.bytes),
    barrierBytes: stages * barrierBytes({ kernelSchedule }),
    // With many accumulators, no register is left for the index of the next store buffer. Without
    // warp specialization, the shared memory of further buffers may hold another block.
    most: areMany(sums) || !isSpecialized({ kernelSchedule }) ? 1 : MAX_BUFFERS,
  });
  const registers = registersFor({ consumers, cluster, output, a, b }, sums);
  return {
    element: elementOf(spec),
    ...(emulation === undefined ? {} : { fp32Emulation: emulation }),
    ...slices,
    instruction: isTmaMma(schedule) ? 'mma' : 'wgmma',
    shape: instructionOf(spec, tile),
    operandOrder: 'ab',
    kernelSchedule,
    consumers,
    cluster,
    stages,
    a,
    b,
    rowsPerConsumer,
    raster: rasterOf(schedule),
    output,
    ...(registers === undefined ? {} : { registers }),
    blocks: blocksOf(spec, tile, { cluster, kernelSchedule, ...slices }),
    workspaceBytes: copiedBytes + partialBytes,
  };
}

/** Returns the columns per tile that a kernel computes: twice those of C with a gate. */
export const computedColumns = (
  { problem }: Pick<Planned, 'problem'>,
  { n }: Pick<Tile, 'n'>,
): Pick<Tile, 'n'> => ({ n: productsOf(problem) * n });

const instructionOf = (
  spec: Pick<Planned, 'problem' | 'schedule'>,
  tile: Tile,
): WgmmaPlan['shape'] => ({
  m: GROUP_ROWS,
  n: computedColumns(spec, tile).n,
  k: INSTRUCTION_BYTES / DTYPE_BYTES[elementOf(spec)],
  ...(isTmaMma(spec.schedule) ? MMA_SIDES : {}),
});

export const wgmmaThreads = (plan: WgmmaPlan): number =>
  WARP_GROUP * (producersOf(plan) + plan.consumers);

export const wgmmaSharedBytes = (plan: WgmmaPlan): number => {
  const { stages, a, b, output } = plan;
  return stages * (a.bytes + b.bytes + barrierBytes(plan)) + stagedBytes(output);
};

export const repackedElements = (plan: WgmmaPlan): number =>
  repackedBytes(plan) / DTYPE_BYTES[plan.element];

const isKContiguous = ({ layout }: ResolvedOperand, operand: Operand): boolean =>
  (operand === 'a') === (layout === 'row');

/**
 * Element size that the instruction can transpose, in bytes (PTX ISA, "wgmma.mma_async",
 * imm-trans-a).
 */
const TRANSPOSED_BYTES = 2;

/**
 * Returns the contiguous dimension of an operand in shared memory. A pre-pass kernel transposes an
 * operand if the instruction cannot transpose its elements.
 */
export const majorOf = (
  spec: Parameters<typeof elementOf>[0],
  operand: Operand,
): BoxedOperand['major'] =>
  isKContiguous(spec.problem[operand], operand) || DTYPE_BYTES[elementOf(spec)] !== TRANSPOSED_BYTES
    ? 'k'
    : 'mn';

export const isTransposedCopy = (operand: Pick<BoxedOperand, 'repacked'> | undefined): boolean =>
  operand?.repacked?.why === 'transposed';

function boxedOperand(
  spec: Planned,
  tile: Tile,
  at: { readonly operand: Operand; readonly share: number; readonly offsetBytes: number },
): BoxedOperand {
  const { operand, share, offsetBytes } = at;
  const element = DTYPE_BYTES[elementOf(spec)];
  const side = operand === 'a' ? tile.m : tile.n;
  // A stage also holds the tile of the second B of a gate.
  const products = operand === 'b' ? productsOf(spec.problem) : 1;
  const common = { share, bytes: products * side * tile.k * element };
  const repacked = repackedCopyOf(spec, operand, offsetBytes);
  const copy = repacked === undefined ? {} : { repacked };
  if (majorOf(spec, operand) === 'k') {
    return {
      major: 'k',
      box: [tile.k, side / share],
      swizzleBytes: tile.k * element <= 64 ? 64 : 128,
      ...common,
      ...copy,
    };
  }
  const inner = side % PANEL.wide === 0 ? PANEL.wide : PANEL.narrow;
  return {
    major: 'mn',
    box: [inner, tile.k / share],
    swizzleBytes: inner * element <= 64 ? 64 : 128,
    ...common,
    ...copy,
  };
}

/**
 * Returns the repacked copy whose strides and order TMA and `wgmma` support; undefined if the
 * matrix needs no copy.
 */
function repackedCopyOf(
  spec: Planned,
  operand: Operand,
  offsetBytes: number,
): BoxedOperand['repacked'] {
  const { problem, schedule } = spec;
  const { ld, layout } = problem[operand];
  const unit = TMA_STRIDE_BYTES / DTYPE_BYTES[elementOf(spec)];
  const turns = majorOf(spec, operand) === 'k' && !isKContiguous(problem[operand], operand);
  const why = turns
    ? 'transposed'
    : schedule.split !== undefined
      ? 'split'
      : ld % unit !== 0
        ? 'ld'
        : isBatchOff(problem, operand, unit)
          ? 'batchStride'
          : null;
  if (why === null) return undefined;
  const { rows, columns } = extent(problem, operand);
  const [outer, inner] = (layout === 'row') === turns ? [columns, rows] : [rows, columns];
  const pitch = REPACKED_PITCH_BYTES / DTYPE_BYTES[elementOf(spec)];
  const padded = Math.ceil(inner / pitch) * pitch;
  return { ld: padded, batchStride: outer * padded, offsetBytes, why };
}

function workspaceOf(
  spec: Planned,
  { batchStride }: NonNullable<BoxedOperand['repacked']>,
): number {
  const copies = spec.problem.batch * (fp32EmulationOf(spec.schedule)?.count ?? 1);
  return copies * batchStride * DTYPE_BYTES[elementOf(spec)];
}

/**
 * Returns the maximum number of stages, at most 16, for which shared memory also holds one store
 * buffer of C, or two if they hold a source. Less than 2 means that the tile is too large. Returns
 * 0 for other algorithms.
 */
export function stagesThatFit(spec: Planned, tile: Tile): number {
  const { schedule } = spec;
  if (!hasWarpGroups(schedule)) return 0;
  const plan = wgmmaPlan({ ...spec, schedule: { ...schedule, stages: 1 } }, tile);
  const { a, b, output } = plan;
  const left = HOPPER_SHARED_BYTES - leastStagedBytes(output);
  return Math.min(STAGE_COUNTS.most, Math.floor(left / (a.bytes + b.bytes + barrierBytes(plan))));
}

/**
 * Returns the number of launched blocks. A persistent kernel launches all clusters that the device
 * can hold, but no more than cover C. In other kernels, each block computes one tile.
 */
function blocksOf(
  { problem, device }: Planned,
  tile: Tile,
  clustered: Clustered & Pick<WgmmaPlan, 'kernelSchedule'>,
): number {
  const { size, count } = clustersOf(problem, tile, clustered);
  return (isPersistent(clustered) ? Math.min(residentClusters(device, size), count) : count) * size;
}

type Clustered = Pick<WgmmaPlan, 'cluster' | 'splitK' | 'twoPass'>;

/**
 * Returns the number of blocks per cluster (`size`) and the number of cluster tiles (`count`),
 * which two-pass split-K multiplies by its slices. Some of their tiles may be outside C.
 */
export function clustersOf(
  { m, n, batch }: Pick<ResolvedProblem, 'm' | 'n' | 'batch'>,
  tile: Tile,
  { cluster, splitK, ...slices }: Clustered,
): { readonly size: number; readonly count: number } {
  const along = tileCount({ m, n }, clusterSides(tile, cluster));
  return {
    size: cluster.m * cluster.n * splitK,
    count: along.m * along.n * batch * slicesInGrid(slices),
  };
}

/** Returns the number of clusters of `size` blocks that are resident on a device, at least 1. */
export function residentClusters(device: string, size: number, blocksPerSm = 1): number {
  const { multiprocessors = size, gpcs } = findDevice(device) ?? {};
  const held =
    gpcs === undefined || size === 1
      ? Math.floor((multiprocessors * blocksPerSm) / size)
      : activeClusters(gpcs.sms, blocksPerSm, size);
  return Math.max(1, held);
}
