/**
 * Matrices of `mma` kernels. A warp tile consists of matrices that the lanes of a warp hold
 * jointly; an MMA multiplies one matrix of A and one of B. Shared tiles keep the layout of global
 * memory, because matrix loads support both row-major and column-major layouts.
 */
import { DTYPE_BYTES } from '../../types/dtype';
import {
  extent,
  type ResolvedProblem,
  type ResolvedSchedule,
  type ResolvedSpec,
} from '../../spec/resolved';
import { productsOf } from '../../spec/epilogue';
import type { Target } from '../../spec/schema';
import { aligned, furtherStrides, WIDEST_BYTES, widest } from '../simt/lanes';
import type { MatrixPlan, MatrixShape, Plan } from '../plan';

/**
 * Row alignment of matrices in memory, in bytes. The Vulkan specification
 * ("OpCooperativeMatrixLoadKHR") requires the minimum of 16 and the row size; all rows here have at
 * least 16 bytes.
 */
export const MATRIX_ROW_BYTES = 16;

/**
 * Shapes that known adapters support, by element type of A and B. The first shape is the default.
 */
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

/**
 * Returns the matrix shapes for the element type; empty if WGSL subgroup matrices do not support
 * it.
 */
export const matrixShapes = ({ a }: ResolvedProblem): readonly MatrixShape[] =>
  SHAPES[a.dtype] ?? [];

export const usesMatrixUnits = ({ family }: Pick<Plan, 'family'>): boolean => family !== 'simt';

type Tile = Plan['tile'];

/** Returns the MMA shape (default: 16 x 16 x 16) and the warp tile (default: the block tile). */
export const matrixShapeOf = (
  { mma, warp }: ResolvedSchedule,
  tile: Tile,
): Pick<MatrixPlan, 'shape' | 'warp'> => ({
  shape: mma ?? { m: 16, n: 16, k: 16 },
  warp: { m: warp?.m ?? tile.m, n: warp?.n ?? tile.n },
});

export function matrixPlan(spec: ResolvedSpec, target: Target, tile: Tile): MatrixPlan {
  const { problem, schedule } = spec;
  const { shape, warp } = matrixShapeOf(schedule, tile);
  const warps = { m: Math.ceil(tile.m / warp.m), n: Math.ceil(tile.n / warp.n) };
  const vector = schedule.vector ?? 1;
  const direct = target === 'wgsl' && storesMatrices(spec, tile);
  const scratch = direct ? undefined : scratchOf(spec, target, { shape, warp });
  const sum = DTYPE_BYTES[problem.accumulator];
  // CUDA kernels without split-K apply a gate before they stage its result.
  const isGatedBefore = target === 'cuda' && (schedule.splitK ?? 1) === 1;
  const staged = isGatedBefore ? 1 : productsOf(problem);
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
        : staged * warps.m * warps.n * scratch.lines * (scratch.inner + scratch.padding) * sum,
  };
}

/**
 * Returns the shared-memory staging buffer of a warp. WGSL kernels stage one matrix; CUDA kernels
 * stage all adjacent matrices along the contiguous dimension of C. The padding places the
 * accumulators that the lanes of a warp store together in different banks.
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

/**
 * Returns the number of elements in the widest access that divides the rows, batch strides and
 * tiles of an operand.
 */
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
    ...furtherStrides(problem, operand),
  ]);
}

/**
 * Returns whether accumulator matrices are stored without staging. This requires full tiles and,
 * without split-K, aligned rows and an epilogue without scaling, type conversion or addition of C.
 */
function storesMatrices({ problem, schedule }: ResolvedSpec, tile: Tile): boolean {
  const { m, n, c, accumulator, alpha, beta, epilogue } = problem;
  if (m % tile.m !== 0 || n % tile.n !== 0) return false;
  // Slices store unscaled partial results to the workspace; the post-pass kernel applies alpha,
  // beta and the conversion.
  if ((schedule.splitK ?? 1) > 1) return true;
  const unit = MATRIX_ROW_BYTES / DTYPE_BYTES[c.dtype];
  const strides = [c.ld, ...furtherStrides(problem, 'c')];
  const plain = alpha === 1 && beta === 0 && epilogue === undefined && c.dtype === accumulator;
  return plain && strides.every(stride => stride % unit === 0);
}

/**
 * Returns the number of elements per store to C, which are adjacent along its contiguous dimension.
 */
function storeWidth({ problem, schedule }: ResolvedSpec, target: Target, line: number): number {
  const { m, n, c, accumulator } = problem;
  const split = (schedule.splitK ?? 1) > 1;
  if (split && schedule.splitKReduction === 'atomic') return 1;
  const bytes = DTYPE_BYTES[split ? accumulator : c.dtype];
  const most = Math.min(schedule.vector ?? 1, widest(bytes, target));
  const gaps = split ? [] : [c.ld, ...furtherStrides(problem, 'c')];
  return aligned(most, [c.layout === 'row' ? n : m, line, ...gaps]);
}
