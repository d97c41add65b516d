/** Threads, grid and shared tiles of a schedule, computed without legality checks. */
import { DTYPE_BYTES } from '../types/dtype';
import { OPERANDS, spanElements, type ResolvedOperand, type ResolvedSpec } from '../spec/resolved';
import type { Schedule, Target } from '../spec/schema';
import { matrixPlan, matrixShapeOf } from './mma/matrix';
import { isSwapped, mirroredSchedule, turned } from './swapAB';
import { lanePlanOf } from './simt/registerTile';
import { threadLayoutsOf } from './threadLayout';
import type { GridMap, Plan, SharedTile, ThreadMap } from './plan';
import { splitPlan } from './split';
import { tileCount } from './tileCount';
import {
  copiedElements,
  mirroredTile,
  wgmmaPlan,
  wgmmaSharedBytes,
  wgmmaThreads,
} from './wgmma/wgmma';
import { WARP_LANES } from '../hardware/warp';

export type Geometry = Pick<
  Plan,
  | 'tile'
  | 'thread'
  | 'threadMap'
  | 'gridMap'
  | 'tiles'
  | 'threads'
  | 'block'
  | 'grid'
  | 'guards'
  | 'shared'
  | 'laned'
  | 'matrix'
  | 'wgmma'
  | 'split'
  | 'sharedBytes'
  | 'wideOffsets'
>;

/** Largest number of elements for signed 32-bit offsets. */
const MOST_NARROW = 2 ** 31 - 1;

/** Geometry that does not depend on the number of split-K slices or the minimum blocks per SM. */
export type Shape = Omit<Geometry, keyof Extent>;

const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);

export function geometryOf(spec: ResolvedSpec, target: Target): Geometry {
  const shape = shapeOf(spec, target);
  return { ...shape, ...extentOf(spec, shape) };
}

export function shapeOf(spec: ResolvedSpec, target: Target): Shape {
  const { problem, schedule } = spec;
  const tile = { m: schedule.block?.m ?? 1, n: schedule.block?.n ?? 1, k: schedule.block?.k ?? 0 };
  const thread = threadTileOf(spec, tile);
  const matrix = matrixPlan(spec, target, tile);
  const wgmma = wgmmaPlan(spec, tile);
  const columnsOfThreads = ceilDiv(tile.n, thread.n);
  const rowsOfThreads = ceilDiv(tile.m, thread.m);
  const threads =
    wgmma !== undefined
      ? wgmmaThreads(wgmma)
      : matrix === undefined
        ? rowsOfThreads * columnsOfThreads
        : matrix.warps.m * matrix.warps.n * WARP_LANES;
  const threadMap = threadMapOf(spec);
  const staged = tile.k > 0 && schedule.algorithm !== 'register-tile';
  const laned = lanePlanOf(spec, target, { tile, thread });
  // `vectorized` and later algorithms stage tiles with K outermost, for every operand layout.
  const layouts =
    laned === undefined
      ? { a: problem.a.layout, b: problem.b.layout }
      : ({ a: 'col', b: 'row' } as const);
  const shared = staged
    ? {
        a: sharedTile({ ...problem.a, layout: layouts.a }, [tile.m, tile.k], schedule.padding?.a),
        b: sharedTile({ ...problem.b, layout: layouts.b }, [tile.k, tile.n], schedule.padding?.b),
      }
    : undefined;
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
          ? { x: rowsOfThreads, y: columnsOfThreads, z: 1 }
          : { x: columnsOfThreads, y: rowsOfThreads, z: 1 },
    ...(shared === undefined ? {} : { shared }),
    ...(laned === undefined ? {} : { laned }),
    ...(matrix === undefined ? {} : { matrix }),
    ...(wgmma === undefined ? {} : { wgmma }),
    sharedBytes:
      wgmma !== undefined
        ? wgmmaSharedBytes(wgmma)
        : (shared === undefined
            ? 0
            : stagesOf({ laned, matrix }) * (shared.a.bytes + shared.b.bytes)) +
          (matrix?.scratchBytes ?? 0),
  };
}

/** Shared-memory buffers (pipeline stages). */
export const stagesOf = ({
  laned,
  matrix,
  wgmma,
}: {
  readonly laned?: Plan['laned'] | undefined;
  readonly matrix?: Plan['matrix'] | undefined;
  readonly wgmma?: Plan['wgmma'] | undefined;
}): number => (laned ?? matrix?.fragments ?? wgmma)?.stages ?? 1;

/**
 * Geometry that depends on the sizes of a problem but not on their alignment: block counts and
 * guards.
 */
export type Extent = Pick<Geometry, 'tiles' | 'grid' | 'guards' | 'split' | 'wideOffsets'>;

/** Computes the extent of a shape for the same problem; `wgmma` depends on the sizes. */
export function extentOf(
  spec: ResolvedSpec,
  { tile, gridMap, wgmma }: Pick<Shape, 'tile' | 'gridMap' | 'wgmma'>,
): Extent {
  const { problem } = spec;
  const split = splitPlan(spec, tile);
  const workspaceElements = split?.workspaceElements ?? copiedElements(wgmma) ?? 0;
  const tiles = tileCount(problem, tile);
  const deep = problem.batch * (split?.parts ?? 1);
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
      ...OPERANDS.filter(name => spanElements(problem, name) > MOST_NARROW),
      ...(workspaceElements > MOST_NARROW ? (['workspace'] as const) : []),
    ],
  };
}

/**
 * Accumulators per thread. For thread layouts, they follow from the repetition over the tile; for
 * matrices, from a lane's share of the warp tile.
 */
function threadTileOf({ schedule }: ResolvedSpec, tile: Plan['tile']): Plan['thread'] {
  if (schedule.algorithm === 'wgmma') return groupSharedBy(tile, schedule);
  if (schedule.algorithm === 'mma') return sharedBy(matrixShapeOf(schedule, tile).warp);
  const layouts = schedule.algorithm === 'layout' ? threadLayoutsOf(schedule) : null;
  if (layouts === null) return { m: schedule.thread?.m ?? 1, n: schedule.thread?.n ?? 1 };
  const [m, n] = layouts.c.shape;
  return { m: ceilDiv(tile.m, m), n: ceilDiv(tile.n, n) };
}

/** Tensor cores distribute accumulators over lanes as 8 rows with 4 lanes each. */
const sharedBy = ({ m, n }: { readonly m: number; readonly n: number }): Plan['thread'] => ({
  m: m / 8,
  n: n / 4,
});

/**
 * Accumulators of a warp group of four warps, each as above with 16 of 64 rows (columns, with
 * swapped operands).
 */
function groupSharedBy(tile: Plan['tile'], schedule: Schedule): Plan['thread'] {
  if (isSwapped(schedule)) {
    return turned(groupSharedBy(mirroredTile(tile), mirroredSchedule(schedule)));
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
 * Algorithms that compute their tile from the block index apply the raster there; their grid is
 * row-major.
 */
function gridMapOf({ schedule }: ResolvedSpec, threadMap: ThreadMap): GridMap {
  const byColumns = schedule.algorithm === 'coalesced' && schedule.raster?.order === 'col';
  return threadMap === 'x-rows' || byColumns ? 'x-rows' : 'x-columns';
}

function sharedTile(
  operand: ResolvedOperand,
  [rows, columns]: readonly [number, number],
  padding = 0,
): SharedTile {
  const [outer, inner] = operand.layout === 'row' ? [rows, columns] : [columns, rows];
  return { outer, inner, padding, bytes: outer * (inner + padding) * DTYPE_BYTES[operand.dtype] };
}
