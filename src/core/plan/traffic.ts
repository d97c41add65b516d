/** Compulsory bytes of a GEMM, and bytes requested by a kernel. */
import { WARP_LANES } from '../hardware/warp';
import { lanePlanIn, matrixPlanIn } from './family';
import { stagesOf } from './geometry';
import type { KernelFamily, Plan } from './plan';
import type { WgmmaPlan } from './wgmma/wgmmaPlan';
import { copiesAgain } from './steps';
import { QUAD } from './simt/registerTile';
import { DTYPE_BYTES } from '../types/dtype';
import { elementOperands, productsOf } from '../spec/epilogue';
import type { ResolvedProblem } from '../spec/resolved';

/**
 * Returns the bytes of the epilogue operands, each read once: vectors of bias and scale, which all
 * batch entries share, and one residual per batch entry. Returns 0 without an epilogue. The second
 * B of a gate is not included, since kernels load it as they load B.
 */
export const epilogueBytes = (problem: ResolvedProblem): number =>
  operandBytes(problem).reduce(
    (sum, { bytes, shared }) => sum + bytes * (shared ? 1 : problem.batch),
    0,
  );

/** Returns the bytes of the epilogue operands that one m x n tile of C requires. */
export const epilogueTileBytes = (
  problem: Pick<ResolvedProblem, 'epilogue' | 'k'>,
  { m, n }: { readonly m: number; readonly n: number },
): number => operandBytes({ ...problem, m, n }).reduce((sum, { bytes }) => sum + bytes, 0);

const operandBytes = (of: Parameters<typeof elementOperands>[0]) =>
  elementOperands(of).map(({ rows, columns, dtype, batchStride }) => ({
    bytes: rows * columns * DTYPE_BYTES[dtype],
    shared: batchStride === 0,
  }));

/**
 * Returns the compulsory bytes: A, B and the operands of the epilogue are read once, and C is
 * written. C is also read if beta is not 0. With a gate, the second B is read once, too.
 */
export function compulsoryBytes(problem: ResolvedProblem): number {
  const { m, n, k, batch, a, b, c, beta } = problem;
  const written = m * n * DTYPE_BYTES[c.dtype] * (beta === 0 ? 1 : 2);
  const bytesB = productsOf(problem) * DTYPE_BYTES[b.dtype];
  const matrices = batch * (m * k * DTYPE_BYTES[a.dtype] + k * n * bytesB + written);
  return matrices + epilogueBytes(problem);
}

/**
 * Returns the bytes of the textbook convention: A, B and the operands of the epilogue are read, C
 * is read and written ("problem ratio").
 */
export function problemBytes(problem: ResolvedProblem): number {
  return compulsoryBytes({ ...problem, beta: 1 });
}

/**
 * Returns the bytes of the kernel's global accesses without caches. Each tile of A is loaded once
 * per tile column, and each tile of B once per tile row. C is read and written, and the operands of
 * the epilogue are read once ("kernel ratio").
 *
 * `mma` kernels and SIMT kernels with a lane plan load boundary tiles in full, with indices clamped
 * to the last row or column. In `register-tile`, each thread loads its operands.
 */
export function uncachedBytes(plan: Plan): number {
  const { m, n, k, a, b, c, batch } = plan.spec.problem;
  const { rows, columns } = readersOf(plan);
  const [loadedM, loadedN] = loadsWholeTiles(plan)
    ? [plan.tiles.m * plan.tile.m, plan.tiles.n * plan.tile.n]
    : [m, n];
  const again = (plan.split?.slices ?? 1) * repeatedK(plan);
  return (
    batch *
      (loadedM * (loadedK(plan) + again) * columns * DTYPE_BYTES[a.dtype] +
        (k + again) * loadedN * rows * productsOf(plan.spec.problem) * DTYPE_BYTES[b.dtype] +
        2 * m * n * DTYPE_BYTES[c.dtype]) +
    epilogueBytes(plan.spec.problem) +
    splitBytes(plan)
  );
}

function loadsWholeTiles(plan: KernelFamily): boolean {
  switch (plan.family) {
    case 'simt':
      return plan.lanes !== null;
    case 'subgroup-matrix':
    case 'mma':
      return true;
    case 'wgmma':
      return false;
  }
}

/**
 * Returns how often A is read (`columns`) and B is read (`rows`): once per tile, per thread or per
 * element of C along that dimension.
 */
export function readersOf(plan: Plan): {
  readonly rows: number;
  readonly columns: number;
} {
  const { m: rows, n: columns } = plan.tiles;
  if (plan.family !== 'simt' || plan.shared !== undefined) return { rows, columns };
  const { m, n } = plan.spec.problem;
  if (plan.lanes === null) return { rows: m, columns: n };
  const { lanes } = plan.lanes;
  return { rows: rows * lanes.m, columns: columns * lanes.n };
}

export const NO_CLUSTER = { m: 1, n: 1 } as const;

/**
 * Returns the bytes that TMA loads from L2, for all split products; 0 for other kernels. Each tile
 * of A is loaded once per group of blocks that share it along N, each tile of B once per group
 * along M. Zero-filled elements cause no traffic.
 */
export function tmaBytes(
  plan: Plan,
  sharing: WgmmaPlan['cluster'] | null = plan.family === 'wgmma' ? plan.wgmma.cluster : null,
): number {
  if (plan.family !== 'wgmma' || sharing === null) return 0;
  const { wgmma, spec } = plan;
  const { m, n, k, batch } = spec.problem;
  const { rows, columns } = readersOf(plan);
  const products = wgmma.fp32Emulation?.products.length ?? 1;
  const sizeB = productsOf(spec.problem) * n;
  const elements = k * (m * Math.ceil(columns / sharing.n) + sizeB * Math.ceil(rows / sharing.m));
  return batch * products * elements * DTYPE_BYTES[wgmma.element];
}

/**
 * Returns the K extent of the tiles that a block copies again past the end of K; 0 if it copies
 * none.
 */
const repeatedK = (plan: Plan): number =>
  copiesAgain(plan) ? (stagesOf(plan) - 1) * plan.tile.k : 0;

/**
 * Returns the K extent of A that each thread loads. With quad sharing, a lane loads a quarter of
 * the K extent of the full K tiles, and all of the K remainder.
 */
export function loadedK(plan: Plan): number {
  const { spec, tile, split } = plan;
  const { k } = spec.problem;
  if (lanePlanIn(plan)?.sharing !== 'quad') return k;
  const depth = split?.sliceK ?? k;
  const steps = (of: number): number => Math.floor(of / tile.k) * tile.k;
  const shared = Math.floor(k / depth) * steps(depth) + steps(k % depth);
  return k - shared + shared / QUAD;
}

/**
 * Returns the additional bytes of split-K. With a workspace, partial results are written and read.
 * With atomics, all slices except one add a read and a write of C, and the pre-pass kernel scales
 * C.
 */
export function splitBytes({ split, spec }: Plan): number {
  if (split === undefined) return 0;
  const { m, n, c, batch, beta, accumulator } = spec.problem;
  if (split.workspaceElements > 0) return 2 * split.workspaceElements * DTYPE_BYTES[accumulator];
  const matrix = batch * m * n * DTYPE_BYTES[c.dtype];
  const scaled = split.pass === undefined ? 0 : beta === 0 ? 1 : 2;
  return matrix * (2 * (split.slices - 1) + scaled);
}

/**
 * Returns the bytes requested from L2 if no load hits L1: `uncachedBytes`, without the read of C if
 * the kernel does not read C.
 */
export function requestedBytes(plan: Plan): number {
  const { m, n, c, beta, batch } = plan.spec.problem;
  // Atomic additions also read C.
  const reads = beta !== 0 || plan.split?.reduction === 'atomic';
  return uncachedBytes(plan) - (reads ? 0 : batch * m * n * DTYPE_BYTES[c.dtype]);
}

/**
 * Returns the bytes stored to and loaded from shared memory. Each tile is stored once; threads load
 * fragments, or warps load matrices. Staged accumulators are included.
 */
export function sharedTrafficBytes(plan: Plan): number {
  if (plan.shared === undefined) return partialResultBytes(plan);
  const { tile, tiles, split } = plan;
  const { a, b, accumulator } = plan.spec.problem;
  // A gate loads and reads two tiles of B.
  const products = productsOf(plan.spec.problem);
  const [bytesA, bytesB] = [DTYPE_BYTES[a.dtype], products * DTYPE_BYTES[b.dtype]];
  const stores = tile.m * bytesA + tile.n * bytesB;
  const loads = fragmentBytes(plan, bytesA, bytesB);
  const { m, n, batch } = plan.spec.problem;
  const blocks = tiles.m * tiles.n * batch;
  const parts = split?.slices ?? 1;
  // Staged accumulators are stored as full tiles, but only elements inside C are loaded.
  const matrix = matrixPlanIn(plan);
  const stagesC = matrix?.direct === false || lanePlanIn(plan)?.scratch !== undefined;
  const sums = stagesC
    ? stagedProducts(plan) * parts * (blocks * tile.m * tile.n + batch * m * n)
    : 0;
  // Epilogues that stage C store and load full boxes with the element type of C.
  const boxed = plan.family === 'wgmma' && plan.wgmma.output.by !== 'registers';
  const boxes = boxed ? 2 * blocks * tile.m * tile.n : 0;
  // Tiles that are copied again are stored in full. Each slice that has tiles also loads the
  // fragments of one k-step of the repeated tiles.
  const again = parts * repeatedK(plan) * stores;
  const summing = Math.ceil(plan.spec.problem.k / (split?.sliceK ?? plan.spec.problem.k));
  const ahead = copiesAgain(plan) ? summing * (matrix?.shape.k ?? 0) * loads : 0;
  const staged = stagedK(plan) * (stores + loads) + again + ahead;
  return blocks * staged + sums * DTYPE_BYTES[accumulator] + boxes * DTYPE_BYTES[plan.dtypes.c];
}

/**
 * Returns the number of products whose accumulators are staged in shared memory: one if the gate is
 * applied in registers.
 */
export const stagedProducts = (plan: Plan): 1 | 2 =>
  plan.target === 'wgsl' || plan.split !== undefined ? productsOf(plan.spec.problem) : 1;

/**
 * Returns the bytes of the partial results of `gemv` in shared memory: stores of full tiles, and
 * loads of the elements inside C.
 */
function partialResultBytes(plan: Plan): number {
  const partials = lanePlanIn(plan)?.gemv?.partials ?? 1;
  if (partials === 1) return 0;
  const { tile, tiles, split } = plan;
  const { m, n, batch, accumulator } = plan.spec.problem;
  const elements =
    productsOf(plan.spec.problem) * batch * (tiles.m * tiles.n * tile.m * tile.n + m * n);
  return (split?.slices ?? 1) * partials * elements * DTYPE_BYTES[accumulator];
}

/**
 * Returns the bytes per k that a block reads from shared memory: fragments of threads or warps, or
 * `wgmma` operands.
 */
function fragmentBytes(plan: Plan, bytesA: number, bytesB: number): number {
  const { tile, thread, threads } = plan;
  switch (plan.family) {
    case 'simt':
      return threads * (thread.m * bytesA + thread.n * bytesB);
    case 'subgroup-matrix':
    case 'mma': {
      const { warp } = plan.matrix;
      return (threads / WARP_LANES) * (warp.m * bytesA + warp.n * bytesB);
    }
    case 'wgmma': {
      // Each wgmma instruction computes 64 rows and reads all columns of B. With mma.sync, each
      // warp reads its rows of A and all columns of B.
      const { operandOrder, shape, instruction } = plan.wgmma;
      const readers = (rows: number): number =>
        instruction === 'mma' ? threads / WARP_LANES : rows / shape.m;
      return operandOrder === 'ab'
        ? tile.m * bytesA + readers(tile.m) * tile.n * bytesB
        : tile.n * bytesB + readers(tile.n) * tile.m * bytesA;
    }
  }
}

/**
 * Returns the K extent that the kernel stages and multiplies: K rounded up to full tiles, except in
 * SIMT kernels with direct copies.
 */
export function stagedK(plan: Pick<Plan, 'spec' | 'tile'> & KernelFamily): number {
  const { spec, tile } = plan;
  const { k } = spec.problem;
  const pipelined =
    plan.family !== 'simt' || (plan.lanes !== null && plan.lanes.copies !== 'direct');
  return pipelined ? Math.ceil(k / tile.k) * tile.k : k;
}
