/** Candidate FP32 schedules in WGSL: shared-memory tiles with warp tiles, and slices of split-K. */
import { DEFAULT_WEBGPU_LIMITS } from '../../plan/limits';
import type { WgslTiles } from '../../cost/wgsl/wgslModel';
import { tileCount } from '../../plan/tileCount';
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';

export type WgslSchedule = ResolvedSchedule & WgslTiles;

type Extents = readonly [m: number, n: number, k: number];

interface Tile {
  readonly block: Extents;
  readonly warp: readonly [m: number, n: number];
  readonly thread: readonly [m: number, n: number];
}

/** The 32 threads of a warp tile cover it once. */
const TILES: readonly Tile[] = [
  { block: [128, 128, 16], warp: [64, 64], thread: [16, 8] },
  { block: [128, 128, 16], warp: [64, 32], thread: [8, 8] },
  { block: [128, 128, 8], warp: [64, 64], thread: [16, 8] },
  { block: [96, 128, 16], warp: [48, 64], thread: [12, 8] },
  { block: [128, 96, 16], warp: [64, 32], thread: [8, 8] },
  { block: [64, 128, 8], warp: [64, 64], thread: [16, 8] },
  { block: [64, 128, 16], warp: [32, 64], thread: [8, 8] },
  { block: [64, 128, 16], warp: [32, 32], thread: [8, 4] },
  { block: [128, 64, 16], warp: [64, 32], thread: [8, 8] },
  { block: [64, 96, 16], warp: [32, 32], thread: [8, 4] },
  { block: [96, 64, 16], warp: [48, 32], thread: [12, 4] },
  { block: [64, 64, 16], warp: [32, 32], thread: [8, 4] },
  { block: [64, 64, 32], warp: [32, 32], thread: [8, 4] },
  { block: [32, 128, 16], warp: [32, 32], thread: [8, 4] },
  { block: [128, 32, 16], warp: [32, 32], thread: [8, 4] },
  { block: [32, 64, 16], warp: [16, 32], thread: [4, 4] },
  { block: [64, 32, 16], warp: [32, 16], thread: [4, 4] },
  { block: [32, 32, 32], warp: [16, 16], thread: [2, 4] },
  { block: [16, 128, 16], warp: [16, 32], thread: [4, 4] },
];

const SLICES = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64] as const;
/** Minimum k-iterations of a slice. */
const LEAST_STEPS = 4;
/** Maximum number of blocks per SM that split-K creates. */
const MOST_BLOCKS_PER_SM = 8;

/** Yields the candidates of a problem. Legality is not checked here. */
export function* wgslCandidates(
  problem: ResolvedProblem,
  multiprocessors: number,
): Generator<WgslSchedule> {
  for (const tile of TILES) {
    const schedule = scheduleOf(tile);
    const [m, n, k] = tile.block;
    const tiles = tileCount(problem, { m, n });
    const blocks = tiles.m * tiles.n * problem.batch;
    const steps = Math.ceil(problem.k / k);
    for (const splitK of SLICES) {
      if (splitK === 1) yield schedule;
      else if (isUseful(splitK, steps) && splitK * blocks <= MOST_BLOCKS_PER_SM * multiprocessors)
        yield { ...schedule, splitK, splitKReduction: 'two-pass' };
    }
  }
}

/** Returns whether every slice has k-iterations, and the first ones have enough. */
const isUseful = (splitK: number, steps: number): boolean =>
  splitK * LEAST_STEPS <= steps && Math.ceil(steps / Math.ceil(steps / splitK)) === splitK;

/** Elements by which rows of A in shared memory are padded. */
const PADDING = 4;

/** Rows of A are padded unless the tiles would exceed the default limit of WebGPU. */
const isPadded = ([m, n, k]: Extents): boolean =>
  (m + PADDING + n) * k * DTYPE_BYTES.f32 <= DEFAULT_WEBGPU_LIMITS.workgroupStorageBytes;

const scheduleOf = ({ block, warp, thread }: Tile): WgslSchedule => ({
  algorithm: 'warp-tile',
  block: { m: block[0], n: block[1], k: block[2] },
  warp: { m: warp[0], n: warp[1] },
  thread: { m: thread[0], n: thread[1] },
  vector: 4,
  traversal: 'row',
  prefetch: 'registers',
  unroll: 'full',
  ...(isPadded(block) ? { padding: { a: PADDING } } : {}),
});
