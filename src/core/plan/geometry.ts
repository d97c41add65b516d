/** Threads, grid and shared tiles of a schedule, computed without legality checks. */
import { DTYPE_BYTES } from '../types/dtype';
import { buffersOf, spanElements, type ResolvedOperand, type ResolvedSpec } from '../spec/resolved';
import { productsOf } from '../spec/epilogue';
import type { Layout, Schedule, Target } from '../spec/schema';
import { fragmentPlan } from './mma/fragments';
import { matrixPlan, matrixShapeOf } from './mma/matrix';
import { isSwapped, swappedSchedule, swapMN } from './swapAB';
import { lanePlanIn } from './family';
import { lanePlanOf } from './simt/registerTile';
import { threadLayoutsOf } from './threadLayout';
import type {
  BlockShape,
  Extent,
  GridMap,
  KernelFamily,
  Plan,
  Shape,
  SharedTile,
  SharedTiles,
  ThreadMap,
} from './plan';
import { splitPlan } from './split';
import { tileCount } from './tileCount';
import {
  repackedElements,
  swappedTile,
  wgmmaPlan,
  wgmmaSharedBytes,
  wgmmaThreads,
} from './wgmma/wgmma';
import { hasWarpGroups } from './wgmma/tmaMma';
import { WARP_LANES } from '../hardware/warp';

const MAX_INT32 = 2 ** 31 - 1;

const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);

export function shapeOf(spec: ResolvedSpec, target: Target): Shape {
  const { schedule } = spec;
  const tile = { m: schedule.block?.m ?? 1, n: schedule.block?.n ?? 1, k: schedule.block?.k ?? 0 };
  const thread = threadTileOf(spec, tile);
  const family = familyOf(spec, target, { tile, thread });
  const rows = ceilDiv(tile.m, thread.m);
  const columns = ceilDiv(tile.n, thread.n);
  const threads = threadsOf(family) ?? rows * columns;
  const threadMap = threadMapOf(spec);
  return {
    tile,
    thread,
    threadMap,
    gridMap: gridMapOf(spec, threadMap),
    threads,
    block:
      threadMap === 'linear'
        ? { x: threads, y: 1, z: 1 }
        : threadMap === 'x-rows'
          ? { x: rows, y: columns, z: 1 }
          : { x: columns, y: rows, z: 1 },
    ...family,
    sharedBytes: sharedBytesOf(family),
  };
}

function familyOf(
  spec: ResolvedSpec,
  target: Target,
  { tile, thread }: Pick<BlockShape, 'tile' | 'thread'>,
): KernelFamily {
  const { a, b } = spec.problem;
  const { algorithm } = spec.schedule;
  if (hasWarpGroups(spec.schedule)) {
    return {
      family: 'wgmma',
      wgmma: wgmmaPlan(spec, tile),
      shared: sharedTiles(spec, tile, { a: a.layout, b: b.layout }),
    };
  }
  if (algorithm === 'mma') {
    const matrix = matrixPlan(spec, target, tile);
    const shared = sharedTiles(spec, tile, { a: a.layout, b: b.layout });
    return target === 'wgsl'
      ? { family: 'subgroup-matrix', matrix, shared }
      : { family: 'mma', matrix, fragments: fragmentPlan({ spec, tile, matrix }), shared };
  }
  const lanes = lanePlanOf(spec, target, { tile, thread });
  const isDirect = algorithm === 'register-tile' || algorithm === 'gemv';
  if (tile.k === 0 || isDirect) return { family: 'simt', lanes };
  // `vectorized` and later algorithms store shared tiles with K outermost, for every operand
  // layout.
  const layouts = lanes === null ? { a: a.layout, b: b.layout } : ({ a: 'col', b: 'row' } as const);
  return { family: 'simt', lanes, shared: sharedTiles(spec, tile, layouts) };
}

/**
 * Returns the number of threads per block if the family determines it; undefined for `simt` kernels
 * whose thread tile determines it.
 */
function threadsOf(plan: KernelFamily): number | undefined {
  switch (plan.family) {
    case 'simt': {
      const threads = plan.lanes?.gemv?.threads;
      return threads === undefined ? undefined : threads.n * threads.k;
    }
    case 'subgroup-matrix':
    case 'mma':
      return plan.matrix.warps.m * plan.matrix.warps.n * WARP_LANES;
    case 'wgmma':
      return wgmmaThreads(plan.wgmma);
  }
}

function sharedBytesOf(plan: KernelFamily): number {
  const { shared } = plan;
  if (shared === undefined) return lanePlanIn(plan)?.gemv?.bytes ?? 0;
  const staged = stagesOf(plan) * (shared.a.bytes + shared.b.bytes + (shared.gate?.bytes ?? 0));
  switch (plan.family) {
    case 'simt':
      return staged + (plan.lanes?.scratch?.bytes ?? 0);
    case 'subgroup-matrix':
    case 'mma':
      return staged + plan.matrix.scratchBytes;
    case 'wgmma':
      return wgmmaSharedBytes(plan.wgmma);
  }
}

export function stagesOf(plan: KernelFamily): number {
  switch (plan.family) {
    case 'simt':
      return plan.lanes?.stages ?? 1;
    case 'subgroup-matrix':
      return 1;
    case 'mma':
      return plan.fragments.stages;
    case 'wgmma':
      return plan.wgmma.stages;
  }
}

export function extentOf(spec: ResolvedSpec, shape: Shape): Extent {
  const { problem } = spec;
  const { tile, gridMap } = shape;
  const split = splitPlan(spec, tile);
  const copied = shape.family === 'wgmma' ? repackedElements(shape.wgmma) : 0;
  const workspaceElements = Math.max(split?.workspaceElements ?? 0, copied);
  const tiles = tileCount(problem, tile);
  const deep = problem.batch * (split?.slices ?? 1);
  return {
    tiles,
    grid:
      gridMap === 'x-rows'
        ? { x: tiles.m, y: tiles.n, z: deep }
        : { x: tiles.n, y: tiles.m, z: deep },
    guards: {
      m: problem.m % tile.m !== 0,
      n: problem.n % tile.n !== 0,
      k: tile.k > 0 && problem.k % tile.k !== 0,
    },
    ...(split === undefined ? {} : { split }),
    wideOffsets: [
      ...buffersOf(problem).filter(name => spanElements(problem, name) > MAX_INT32),
      ...(workspaceElements > MAX_INT32 ? (['workspace'] as const) : []),
    ],
  };
}

/**
 * Returns the number of accumulators per thread along M and N. For `layout`, each thread repeats
 * its layout over the tile; for matrix units, the warp tile is distributed over 32 lanes.
 */
function threadTileOf({ schedule }: ResolvedSpec, tile: Plan['tile']): Plan['thread'] {
  if (hasWarpGroups(schedule)) return groupSharedBy(tile, schedule);
  if (schedule.algorithm === 'mma') return sharedBy(matrixShapeOf(schedule, tile).warp);
  const layouts = schedule.algorithm === 'layout' ? threadLayoutsOf(schedule) : null;
  if (layouts === null) return { m: schedule.thread?.m ?? 1, n: schedule.thread?.n ?? 1 };
  const [m, n] = layouts.c.shape;
  return { m: ceilDiv(tile.m, m), n: ceilDiv(tile.n, n) };
}

/**
 * Returns the number of accumulators per lane along M and N. The 32 lanes of a warp form an 8 x 4
 * grid.
 */
const sharedBy = ({ m, n }: { readonly m: number; readonly n: number }): Plan['thread'] => ({
  m: m / 8,
  n: n / 4,
});

/**
 * Returns the number of accumulators per thread of a warp group along M and N. Each of its four
 * warps computes 16 of 64 rows (columns, with swapped operands), distributed over lanes as in
 * `sharedBy`.
 */
function groupSharedBy(tile: Plan['tile'], schedule: Schedule): Plan['thread'] {
  if (isSwapped(schedule)) {
    return swapMN(groupSharedBy(swappedTile(tile), swappedSchedule(schedule)));
  }
  const { m, n } = tile;
  const { consumers = 1, kernelSchedule } = schedule;
  const rows = kernelSchedule === 'pingpong' ? m : m / consumers;
  return { m: rows / 32, n: n / 4 };
}

function threadMapOf({ schedule }: ResolvedSpec): ThreadMap {
  const { algorithm, variant } = schedule;
  if (algorithm === 'naive' || variant === 'transposed') return 'x-rows';
  if (variant === 'swap' || variant === '2d') return 'x-columns';
  return 'linear';
}

/**
 * Returns the tile dimension, rows or columns, that the x dimension of the grid indexes. Algorithms
 * that compute tile coordinates from the block index apply the raster in that computation, so `x`
 * indexes columns.
 */
function gridMapOf({ schedule }: ResolvedSpec, threadMap: ThreadMap): GridMap {
  const byColumns = schedule.algorithm === 'coalesced' && schedule.raster?.order === 'col';
  return threadMap === 'x-rows' || byColumns ? 'x-rows' : 'x-columns';
}

function sharedTiles(
  { problem, schedule }: ResolvedSpec,
  tile: BlockShape['tile'],
  layouts: Readonly<Record<'a' | 'b', Layout>>,
): SharedTiles {
  const { padding } = schedule;
  const b = sharedTile({ ...problem.b, layout: layouts.b }, [tile.k, tile.n], padding?.b);
  return {
    a: sharedTile({ ...problem.a, layout: layouts.a }, [tile.m, tile.k], padding?.a),
    b,
    ...(productsOf(problem) === 1 ? {} : { gate: b }),
  };
}

function sharedTile(
  operand: ResolvedOperand,
  [rows, columns]: readonly [number, number],
  padding = 0,
): SharedTile {
  const [outer, inner] = operand.layout === 'row' ? [rows, columns] : [columns, rows];
  return { outer, inner, padding, bytes: outer * (inner + padding) * DTYPE_BYTES[operand.dtype] };
}
