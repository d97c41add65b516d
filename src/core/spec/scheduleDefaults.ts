/** The schedule of a spec that names none, and the tiles of one that names only an algorithm. */
import type { ResolvedProblem } from './resolved';
import type { Algorithm, Schedule, Variant } from './schema';

interface Tiles {
  readonly block?: { readonly m: number; readonly n: number; readonly k?: number };
  readonly thread?: { readonly m: number; readonly n?: number };
}

/** Tiles that are legal for CUDA and for WebGPU's default limits alike. */
const TILES: Readonly<Partial<Record<Algorithm, Tiles>>> = {
  naive: { block: { m: 16, n: 16 } },
  coalesced: { block: { m: 8, n: 32 } },
  'shared-tile': { block: { m: 16, n: 16, k: 16 } },
  'thread-tile-1d': { block: { m: 64, n: 32, k: 8 }, thread: { m: 8 } },
  'thread-tile-2d': { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } },
};

const VARIANT: Readonly<Partial<Record<Algorithm, Variant>>> = {
  coalesced: 'swap',
  'shared-tile': '2d',
};

/** Fills in the tiles, variant and padding that a schedule leaves out. */
export function completeSchedule(schedule: Schedule): Schedule {
  const tiles = TILES[schedule.algorithm] ?? {};
  const variant = schedule.variant ?? VARIANT[schedule.algorithm];
  const block = schedule.block ?? tiles.block;
  const thread = schedule.thread ?? tiles.thread;
  const depth = block !== undefined && block.k === undefined ? tiles.block?.k : undefined;
  return {
    ...schedule,
    ...(block === undefined ? {} : { block: depth === undefined ? block : { ...block, k: depth } }),
    ...(thread === undefined ? {} : { thread }),
    ...(variant === undefined ? {} : { variant }),
  };
}

/** Large tiles once the matrix has enough of them to fill a GPU, smaller ones before. */
export function defaultSchedule(problem: ResolvedProblem): Schedule {
  const size = Math.min(problem.m, problem.n);
  if (size >= 2048) return completeSchedule({ algorithm: 'thread-tile-2d' });
  if (size >= 64) {
    return { algorithm: 'thread-tile-2d', block: { m: 64, n: 64, k: 8 }, thread: { m: 4, n: 4 } };
  }
  return completeSchedule({ algorithm: 'shared-tile' });
}
