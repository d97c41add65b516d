/** The schedule of a spec that names none, and the tiles of one that names only an algorithm. */
import { isLaned, WIDEST_BYTES } from '../plan/lanes';
import { DEFAULT_WEBGPU_LIMITS } from '../plan/limits';
import { matrixShapes } from '../plan/matrix';
import { DEFAULT_THREAD_LAYOUTS } from '../plan/threadLayout';
import { DTYPE_BYTES } from './dtype';
import type { ResolvedProblem, ResolvedSchedule, WebgpuLimits } from './resolved';
import type { Algorithm, Schedule, Variant } from './schema';

interface Tiles {
  readonly block?: { readonly m: number; readonly n: number; readonly k?: number };
  readonly warp?: { readonly m: number; readonly n: number };
  readonly thread?: { readonly m: number; readonly n?: number };
  readonly stages?: number;
  readonly threadLayout?: Readonly<Record<'a' | 'b' | 'c', string>>;
}

/** Tiles that are legal for CUDA and for WebGPU's default limits alike. */
const TILES: Readonly<Partial<Record<Algorithm, Tiles>>> = {
  naive: { block: { m: 16, n: 16 } },
  coalesced: { block: { m: 8, n: 32 } },
  'shared-tile': { block: { m: 16, n: 16, k: 16 } },
  'thread-tile-1d': { block: { m: 64, n: 32, k: 8 }, thread: { m: 8 } },
  'thread-tile-2d': { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } },
  'register-tile': { block: { m: 64, n: 64, k: 4 }, thread: { m: 8, n: 8 } },
  vectorized: { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } },
  'warp-tile': {
    ...{ block: { m: 128, n: 128, k: 16 }, warp: { m: 64, n: 32 }, thread: { m: 8, n: 8 } },
  },
  pipelined: {
    ...{ block: { m: 128, n: 128, k: 8 }, warp: { m: 64, n: 32 }, thread: { m: 8, n: 8 } },
    stages: 2,
  },
  layout: { block: { m: 128, n: 128, k: 8 }, threadLayout: DEFAULT_THREAD_LAYOUTS },
};

/** Workgroup storage from which on tiles of matrices are twice as deep. */
const DEEP_TILE_BYTES = 32_768;

/**
 * Of `mma`, whose instruction follows the type. Rows of the staged tiles have 16 bytes of padding: neighbouring rows of a
 * matrix are then in other banks.
 */
function matrixSchedule(
  problem: ResolvedProblem,
  { workgroupStorageBytes }: WebgpuLimits,
): ResolvedSchedule {
  const [mma = { m: 16, n: 16, k: 16 }] = matrixShapes(problem);
  const words = WIDEST_BYTES / DTYPE_BYTES[problem.a.dtype];
  const vector = words === 8 ? 8 : 4;
  return {
    algorithm: 'mma',
    block: { m: 128, n: 128, k: mma.k * (workgroupStorageBytes < DEEP_TILE_BYTES ? 1 : 2) },
    ...{ warp: { m: 64, n: 64 }, mma, vector, padding: { a: vector, b: vector } },
  };
}

/** Elements of 16 bytes, the widest access; of types that WGSL has, no more than its widest vector holds. */
function defaultVector({ a, b }: ResolvedProblem): 2 | 4 | 8 {
  const bytes = Math.min(DTYPE_BYTES[a.dtype], DTYPE_BYTES[b.dtype]);
  if (bytes === 8) return 2;
  return bytes === 4 || a.dtype === 'f16' || b.dtype === 'f16' ? 4 : 8;
}

const VARIANT: Readonly<Partial<Record<Algorithm, Variant>>> = {
  coalesced: 'swap',
  'shared-tile': '2d',
};

/** Values that say "off" in fields that a kernel with tiles has a use for, or will have. */
const NEUTRAL: Readonly<Record<string, unknown>> = {
  swizzle: 'none',
  sharing: 'none',
  unroll: 'none',
  prefetch: 'none',
  splitK: 1,
  'raster.order': 'row',
  'raster.group': 1,
};

/** The fields that a schedule gives, each with its path. */
export function leaves(schedule: Schedule): readonly (readonly [path: string, value: unknown])[] {
  const found: (readonly [string, unknown])[] = [];
  for (const [key, value] of Object.entries(schedule) as [string, unknown][]) {
    if (typeof value !== 'object' || value === null) {
      if (value !== undefined) found.push([key, value]);
      continue;
    }
    for (const [name, field] of Object.entries(value) as [string, unknown][]) {
      if (field !== undefined) found.push([`${key}.${name}`, field]);
    }
  }
  return found;
}

export const isNeutral = (path: string, value: unknown): boolean => NEUTRAL[path] === value;

/** Large tiles once the matrix has enough of them to fill a GPU, smaller ones before. */
function bySize(problem: ResolvedProblem): ResolvedSchedule {
  const size = Math.min(problem.m, problem.n);
  if (size < 64) return { algorithm: 'shared-tile', ...TILES['shared-tile'] };
  if (size >= 2048) return { algorithm: 'thread-tile-2d', ...TILES['thread-tile-2d'] };
  return { algorithm: 'thread-tile-2d', block: { m: 64, n: 64, k: 8 }, thread: { m: 4, n: 4 } };
}

/** Fills in what a schedule leaves out, field by field: its algorithm, tiles and variant. */
export function completeSchedule(
  given: Schedule,
  problem: ResolvedProblem,
  limits: WebgpuLimits = DEFAULT_WEBGPU_LIMITS,
): ResolvedSchedule {
  const base: ResolvedSchedule =
    given.algorithm === undefined
      ? bySize(problem)
      : given.algorithm === 'mma'
        ? matrixSchedule(problem, limits)
        : { algorithm: given.algorithm, ...TILES[given.algorithm] };
  const { algorithm } = base;
  const block = { ...base.block, ...given.block };
  const warp = { ...base.warp, ...given.warp };
  const thread = { ...base.thread, ...given.thread };
  const padding = { ...base.padding, ...given.padding };
  const mma = given.mma ?? base.mma;
  const vector =
    given.vector ??
    base.vector ??
    (isLaned(algorithm) && algorithm !== 'layout' ? defaultVector(problem) : undefined);
  const stages = given.stages ?? base.stages;
  const threadLayout = { ...base.threadLayout, ...given.threadLayout };
  const variant = given.variant ?? VARIANT[algorithm];
  const splitKReduction =
    given.splitKReduction ?? ((given.splitK ?? 1) > 1 ? ('two-pass' as const) : undefined);
  const some = (tile: object): boolean => Object.keys(tile).length > 0;
  return {
    ...given,
    algorithm,
    ...(some(block) ? { block } : {}),
    ...(some(warp) ? { warp } : {}),
    ...(some(thread) ? { thread } : {}),
    ...(some(threadLayout) ? { threadLayout } : {}),
    ...(vector === undefined ? {} : { vector }),
    ...(stages === undefined ? {} : { stages }),
    ...(some(padding) ? { padding } : {}),
    ...(mma === undefined ? {} : { mma }),
    ...(variant === undefined ? {} : { variant }),
    ...(splitKReduction === undefined ? {} : { splitKReduction }),
  };
}
