/** Compulsory bytes of a GEMM, and bytes that a kernel requests. */
import { WARP_LANES } from '../hardware/warp';
import { lanePlanIn, matrixPlanIn } from './family';
import { stagesOf } from './geometry';
import type { KernelFamily, Plan } from './plan';
import type { WgmmaPlan } from './wgmma/wgmmaPlan';
import { copiesAgain } from './steps';
import { QUAD } from './simt/registerTile';
import { DTYPE_BYTES } from '../types/dtype';
import type { ResolvedProblem } from '../spec/resolved';

/** Counts each operand once: A and B read, C written, and read if beta is not 0. */
export function compulsoryBytes(problem: ResolvedProblem): number {
  const { m, n, k, batch, a, b, c, beta } = problem;
  const written = m * n * DTYPE_BYTES[c.dtype] * (beta === 0 ? 1 : 2);
  return batch * (m * k * DTYPE_BYTES[a.dtype] + k * n * DTYPE_BYTES[b.dtype] + written);
}

/** Counts A and B read once, C read and written: the convention of seed 002's problem ratio. */
export function problemBytes(problem: ResolvedProblem): number {
  return compulsoryBytes({ ...problem, beta: 1 });
}

/**
 * Returns the bytes of the kernel's global accesses without caches: each tile of A once per tile
 * column, each tile of B once per tile row, C read and written (seed 002, "kernel ratio").
 * `vectorized` and later, and `mma`, load boundary tiles in full by clamping indices to the last
 * row or column. In `register-tile`, each thread loads its operands.
 */
export function uncachedBytes(plan: Plan): number {
  const { m, n, k, a, b, c, batch } = plan.spec.problem;
  const { rows, columns } = readersOf(plan);
  const [loadedM, loadedN] = loadsWholeTiles(plan)
    ? [plan.tiles.m * plan.tile.m, plan.tiles.n * plan.tile.n]
    : [m, n];
  const again = (plan.split?.parts ?? 1) * repeatedK(plan);
  return (
    batch *
      (loadedM * (loadedK(plan) + again) * columns * DTYPE_BYTES[a.dtype] +
        (k + again) * loadedN * rows * DTYPE_BYTES[b.dtype] +
        2 * m * n * DTYPE_BYTES[c.dtype]) +
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
 * Returns the number of reads of A (per column) and of B (per row), in units of tiles, threads, or
 * elements of C.
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

/** A block without cluster partners. */
export const NO_CLUSTER = { m: 1, n: 1 } as const;

/**
 * Returns the bytes that TMA loads: a tile of A once per row of blocks that share it, a tile of B
 * once per column, for every split product; zero-filled elements are free. L2 requests are shared
 * in a cluster, while each block receives its full tiles.
 */
export function tmaBytes(
  plan: Plan,
  sharing: WgmmaPlan['cluster'] | null = plan.family === 'wgmma' ? plan.wgmma.cluster : null,
): number {
  if (plan.family !== 'wgmma' || sharing === null) return 0;
  const { wgmma, spec } = plan;
  const { m, n, k, batch } = spec.problem;
  const { rows, columns } = readersOf(plan);
  const products = wgmma.pieces?.products.length ?? 1;
  const elements = k * (m * Math.ceil(columns / sharing.n) + n * Math.ceil(rows / sharing.m));
  return batch * products * elements * DTYPE_BYTES[wgmma.element];
}

/** Returns the K extent of the tiles that a block copies again past the end, if it does. */
const repeatedK = (plan: Plan): number =>
  copiesAgain(plan) ? (stagesOf(plan) - 1) * plan.tile.k : 0;

/**
 * Returns the K extent of A that a reader loads: K, or a quarter in the k-iterations that a quad
 * shares.
 */
export function loadedK(plan: Plan): number {
  const { spec, tile, split } = plan;
  const { k } = spec.problem;
  if (lanePlanIn(plan)?.sharing !== 'quad') return k;
  const depth = split?.depth ?? k;
  const steps = (of: number): number => Math.floor(of / tile.k) * tile.k;
  const shared = Math.floor(k / depth) * steps(depth) + steps(k % depth);
  return k - shared + shared / QUAD;
}

/**
 * Returns the additional bytes of split-K: partial results written and read back, or C read and
 * written by every slice except one, and by the pre-pass kernel that scales C.
 */
export function splitBytes({ split, spec }: Plan): number {
  if (split === undefined) return 0;
  const { m, n, c, batch, beta, accumulator } = spec.problem;
  if (split.workspaceElements > 0) return 2 * split.workspaceElements * DTYPE_BYTES[accumulator];
  const matrix = batch * m * n * DTYPE_BYTES[c.dtype];
  const scaled = split.pass === undefined ? 0 : beta === 0 ? 1 : 2;
  return matrix * (2 * (split.parts - 1) + scaled);
}

/**
 * Returns the L2 requests without L1 hits: `uncachedBytes` without the read of C that kernels with
 * beta = 0 do not make.
 */
export function requestedBytes(plan: Plan): number {
  const { m, n, c, beta, batch } = plan.spec.problem;
  // Atomics read the values that they add to.
  const reads = beta !== 0 || plan.split?.reduction === 'atomic';
  return uncachedBytes(plan) - (reads ? 0 : batch * m * n * DTYPE_BYTES[c.dtype]);
}

/**
 * Returns the bytes stored to and loaded from shared memory: each tile stored once, the fragments
 * of each thread or the matrices of each warp, and staged accumulators.
 */
export function sharedTrafficBytes(plan: Plan): number {
  if (plan.shared === undefined) return 0;
  const { tile, tiles, split } = plan;
  const { a, b, accumulator } = plan.spec.problem;
  const [bytesA, bytesB] = [DTYPE_BYTES[a.dtype], DTYPE_BYTES[b.dtype]];
  const stores = tile.m * bytesA + tile.n * bytesB;
  const loads = fragmentBytes(plan, bytesA, bytesB);
  const { m, n, batch } = plan.spec.problem;
  const blocks = tiles.m * tiles.n * batch;
  const parts = split?.parts ?? 1;
  // Stored in full, read only inside C.
  const matrix = matrixPlanIn(plan);
  const sums = matrix?.direct === false ? parts * (blocks * tile.m * tile.n + batch * m * n) : 0;
  // Full boxes in the type of C, stored and loaded.
  const boxed = plan.family === 'wgmma' && plan.wgmma.output.by === 'tma';
  const boxes = boxed ? 2 * blocks * tile.m * tile.n : 0;
  // Repeated copies are stored, and their first k-step is loaded by slices that have tiles.
  const again = parts * repeatedK(plan) * stores;
  const summing = Math.ceil(plan.spec.problem.k / (split?.depth ?? plan.spec.problem.k));
  const ahead = copiesAgain(plan) ? summing * (matrix?.shape.k ?? 0) * loads : 0;
  const staged = stagedK(plan) * (stores + loads) + again + ahead;
  return blocks * staged + sums * DTYPE_BYTES[accumulator] + boxes * DTYPE_BYTES[plan.dtypes.c];
}

/**
 * Returns the bytes that a block reads from shared memory per k: fragments of threads or warps, or
 * wgmma operands.
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
      // Each 64-row instruction reads all columns of B.
      const { operandOrder, shape } = plan.wgmma;
      return operandOrder === 'ab'
        ? tile.m * bytesA + (tile.m / shape.m) * tile.n * bytesB
        : tile.n * bytesB + (tile.n / shape.m) * tile.m * bytesA;
    }
  }
}

/**
 * Returns the K extent that is staged and multiplied: K, plus the zero-filled start of the first
 * tile in pipelines.
 */
export function stagedK(plan: Pick<Plan, 'spec' | 'tile'> & KernelFamily): number {
  const { spec, tile } = plan;
  const { k } = spec.problem;
  const pipelined =
    plan.family !== 'simt' || (plan.lanes !== null && plan.lanes.copies !== 'direct');
  return pipelined ? Math.ceil(k / tile.k) * tile.k : k;
}
