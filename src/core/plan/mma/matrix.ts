/**
 * `mma`: a warp's tile is made of matrices that its lanes hold together, and a multiply-accumulate takes one of A and one
 * of B. Tiles are staged as they lie in global memory: loads of matrices read rows or columns alike.
 */
import { DTYPE_BYTES } from '../../types/dtype';
import {
  extent,
  type ResolvedProblem,
  type ResolvedSchedule,
  type ResolvedSpec,
} from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import { aligned, batchStride, WIDEST_BYTES, widest } from '../simt/lanes';
import type { MatrixPlan, MatrixShape, Plan } from '../plan';

/**
 * What rows of a matrix in memory begin at multiples of (Vulkan specification, "OpCooperativeMatrixLoadKHR": the lesser
 * of 16 bytes and a row, and all rows here are as long).
 */
export const MATRIX_ROW_BYTES = 16;

/** Shapes that adapters are known to have, by the type of A and B, the default first. */
const SHAPES: Readonly<Partial<Record<string, readonly MatrixShape[]>>> = {
  f16: [
    { m: 16, n: 16, k: 16 },
    { m: 16, n: 8, k: 16 },
    { m: 16, n: 8, k: 8 },
    { m: 8, n: 16, k: 16 },
    { m: 8, n: 8, k: 8 },
  ],
  f32: [{ m: 8, n: 8, k: 8 }],
};

/** None where matrix units of WGSL know nothing of the type. */
export const matrixShapes = ({ a }: ResolvedProblem): readonly MatrixShape[] =>
  SHAPES[a.dtype] ?? [];

/** Whether a kernel multiplies on tensor cores, or what an adapter has of the kind. */
export const usesMatrixUnits = ({ family }: Pick<Plan, 'family'>): boolean => family !== 'simt';

type Tile = Plan['tile'];

/** Fields of a schedule, with what stands for those that are missing: the block for the warp. */
export const matrixShapeOf = (
  { mma, warp }: ResolvedSchedule,
  tile: Tile,
): Pick<MatrixPlan, 'shape' | 'warp'> => ({
  shape: mma ?? { m: 16, n: 16, k: 16 },
  warp: { m: warp?.m ?? tile.m, n: warp?.n ?? tile.n },
});

/** Plans the matrices of an `mma` schedule. */
export function matrixPlan(spec: ResolvedSpec, target: Target, tile: Tile): MatrixPlan {
  const { problem, schedule } = spec;
  const { shape, warp } = matrixShapeOf(schedule, tile);
  const warps = { m: Math.ceil(tile.m / warp.m), n: Math.ceil(tile.n / warp.n) };
  const vector = schedule.vector ?? 1;
  const direct = target === 'wgsl' && storesMatrices(spec, tile);
  const scratch = direct ? undefined : scratchOf(spec, target, { shape, warp });
  const sum = DTYPE_BYTES[problem.accumulator];
  return {
    shape,
    warp,
    warps,
    vector,
    direct,
    a: { width: stagedWidth(spec, 'a', tile) },
    b: { width: stagedWidth(spec, 'b', tile) },
    storeWidth: scratch === undefined ? 1 : storeWidth(spec, target, scratch.inner),
    ...(scratch === undefined ? {} : { scratch }),
    scratchBytes:
      scratch === undefined
        ? 0
        : warps.m * warps.n * scratch.lines * (scratch.inner + scratch.padding) * sum,
  };
}

/**
 * What a warp passes through shared memory at a time: a matrix, or, where its lanes hold what they know, all matrices beside
 * each other along C's contiguous index. The padding lets lanes that write two neighbours, or two lines, do so in other banks.
 */
function scratchOf(
  { problem: { c, accumulator } }: ResolvedSpec,
  target: Target,
  { shape, warp }: Pick<MatrixPlan, 'shape' | 'warp'>,
): NonNullable<MatrixPlan['scratch']> {
  const row = c.layout === 'row';
  const lines = row ? shape.m : shape.n;
  if (target === 'wgsl') return { lines, inner: row ? shape.n : shape.m, padding: 0 };
  const chunk = WIDEST_BYTES / DTYPE_BYTES[accumulator];
  return { lines, inner: row ? warp.n : warp.m, padding: row ? 8 : chunk };
}

/** Elements of whole words that rows, matrices of a batch and tiles are made of. */
function stagedWidth({ problem, schedule }: ResolvedSpec, operand: 'a' | 'b', tile: Tile): number {
  const { layout, ld, dtype } = problem[operand];
  const { rows, columns } = extent(problem, operand);
  const row = layout === 'row';
  const inner = operand === 'a' ? (row ? tile.k : tile.m) : row ? tile.n : tile.k;
  const most = Math.min(schedule.vector ?? 1, WIDEST_BYTES / DTYPE_BYTES[dtype]);
  const padding = schedule.padding?.[operand] ?? 0;
  return aligned(most, [
    ld,
    row ? columns : rows,
    inner,
    inner + padding,
    ...batchStride(problem, operand),
  ]);
}

/** Whether every matrix of sums is stored as it is: whole tiles, nothing to scale, convert or add, aligned rows. */
function storesMatrices({ problem, schedule }: ResolvedSpec, tile: Tile): boolean {
  const { m, n, c, accumulator, alpha, beta } = problem;
  if (m % tile.m !== 0 || n % tile.n !== 0) return false;
  // Partial sums lie packed, and the rest is another kernel's.
  if ((schedule.splitK ?? 1) > 1) return true;
  const unit = MATRIX_ROW_BYTES / DTYPE_BYTES[c.dtype];
  const strides = [c.ld, ...batchStride(problem, 'c')];
  const plain = alpha === 1 && beta === 0 && c.dtype === accumulator;
  return plain && strides.every(stride => stride % unit === 0);
}

/** Of what goes through shared memory: neighbours along C's contiguous index, of one line of it. */
function storeWidth({ problem, schedule }: ResolvedSpec, target: Target, line: number): number {
  const { m, n, c, accumulator } = problem;
  const split = (schedule.splitK ?? 1) > 1;
  if (split && schedule.splitKReduction === 'atomic') return 1;
  const bytes = DTYPE_BYTES[split ? accumulator : c.dtype];
  const most = Math.min(schedule.vector ?? 1, widest(bytes, target));
  const gaps = split ? [] : [c.ld, ...batchStride(problem, 'c')];
  return aligned(most, [c.layout === 'row' ? n : m, line, ...gaps]);
}
