/** The rungs of the ladder: one schedule a step, as their tutorials have them, and the best known after those. */
import { hasTensorCores, type OnDevice } from '../../plan/instructions';
import type { Algorithm, Schedule, Target } from '../../spec/schema';
import { tensorRungs } from './tensorRungs';

export interface Rung {
  readonly algorithm: Algorithm;
  /** What this rung changes, beside the one before it. */
  readonly change: string;
  readonly schedule: Schedule;
  /** Absent: every target. */
  readonly targets?: readonly Target[];
  /** In WGSL, where the limits on a workgroup are too small for `schedule`: the same step within WebGPU's defaults. */
  readonly small?: Schedule;
}

const rung = (
  algorithm: Algorithm,
  change: string,
  schedule: Schedule,
  { targets, small }: Pick<Rung, 'targets' | 'small'> = {},
): Rung => ({
  algorithm,
  change,
  schedule: { algorithm, ...schedule },
  ...(targets === undefined ? {} : { targets }),
  ...(small === undefined ? {} : { small: { algorithm, ...schedule, ...small } }),
});

const CUDA = { targets: ['cuda'] } as const;
const WGSL = { targets: ['wgsl'] } as const;
/** 256 threads, one per element of C. */
const SMALL = { small: { block: { m: 16, n: 16 } } } as const;

const SQUARE = { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } } as const;
const WARPS = {
  block: { m: 128, n: 128, k: 16 },
  warp: { m: 64, n: 32 },
  thread: { m: 8, n: 8 },
} as const;

/** WebGPU rungs ask for limits that desktop adapters have, as CUDA rungs for what every GPU has. */
export const LADDER_WEBGPU_LIMITS = { invocations: 1024, workgroupStorageBytes: 32_768 } as const;

export const LADDER: readonly Rung[] = [
  rung('naive', 'one thread an element, lanes along rows', { block: { m: 32, n: 32 } }, SMALL),
  rung(
    'coalesced',
    'lanes along columns, a two-dimensional block',
    { variant: 'swap', block: { m: 32, n: 32 } },
    SMALL,
  ),
  rung(
    'coalesced',
    'a one-dimensional thread index, tile rows from blockIdx.x',
    { variant: 'remap', block: { m: 32, n: 32 }, raster: { order: 'col' } },
    SMALL,
  ),
  rung(
    'shared-tile',
    'tiles in shared memory',
    { block: { m: 32, n: 32, k: 32 } },
    { small: { block: { m: 16, n: 16, k: 16 } } },
  ),
  rung(
    'thread-tile-1d',
    'a column of results a thread',
    { block: { m: 64, n: 64, k: 8 }, thread: { m: 8 } },
    { small: { block: { m: 64, n: 32, k: 8 } } },
  ),
  rung('thread-tile-2d', '4 x 4 results a thread', {
    block: { m: 64, n: 64, k: 8 },
    thread: { m: 4, n: 4 },
  }),
  rung('thread-tile-2d', '8 x 8 results a thread', SQUARE),
  rung('thread-tile-2d', 'padding against bank conflicts', { ...SQUARE, padding: { a: 1 } }),
  rung('layout', 'thread layouts over the tiles, the CuTe way', {}),
  rung('vectorized', '128-bit accesses, A transposed, results interleaved', SQUARE),
  rung('vectorized', 'padding against the conflicts of the transposing stores', {
    ...SQUARE,
    padding: { a: 4 },
  }),
  rung('warp-tile', 'warp tiles, and an unpadded tile twice as deep', WARPS),
  rung('warp-tile', 'padding of 2 against the conflicts of the stores', {
    ...WARPS,
    padding: { a: 2 },
  }),
  rung('pipelined', 'two stages without padding: load one tile, multiply the other', {
    ...WARPS,
    block: SQUARE.block,
    stages: 2,
  }),
  rung('pipelined', 'a swizzle against the conflicts of the stores', {
    ...WARPS,
    block: SQUARE.block,
    stages: 2,
    swizzle: 'xor',
  }),
  rung('pipelined', 'two stages of twice the depth, no swizzle', { ...WARPS, stages: 2 }, WGSL),
  rung(
    'pipelined',
    'a smaller block',
    {
      ...WARPS,
      block: { m: 64, n: 128, k: 16 },
      warp: { m: 32, n: 64 },
      stages: 2,
    },
    WGSL,
  ),
  rung(
    'pipelined',
    'three stages, twice as deep, two blocks an SM',
    {
      ...WARPS,
      stages: 3,
      padding: { a: 4 },
      minBlocksPerSm: 2,
    },
    CUDA,
  ),
  rung(
    'pipelined',
    'smaller blocks, four stages, four blocks an SM',
    {
      block: { m: 64, n: 128, k: 16 },
      warp: { m: 32, n: 64 },
      thread: { m: 8, n: 8 },
      stages: 4,
      padding: { a: 4 },
      minBlocksPerSm: 4,
    },
    CUDA,
  ),
  rung(
    'pipelined',
    'the same, blocks in groups of 8 tile rows',
    {
      block: { m: 64, n: 128, k: 16 },
      warp: { m: 32, n: 64 },
      thread: { m: 8, n: 8 },
      stages: 4,
      padding: { a: 4 },
      minBlocksPerSm: 4,
      raster: { order: 'row', group: 8 },
    },
    CUDA,
  ),
  rung(
    'pipelined',
    '16 x 8 results a thread, one block an SM',
    {
      block: { m: 256, n: 128, k: 8 },
      warp: { m: 64, n: 64 },
      thread: { m: 16, n: 8 },
      stages: 4,
      padding: { a: 4 },
    },
    CUDA,
  ),
  rung(
    'pipelined',
    'small tiles for small matrices',
    {
      block: { m: 64, n: 64, k: 16 },
      warp: { m: 32, n: 32 },
      thread: { m: 4, n: 8 },
      stages: 4,
      padding: { a: 4 },
    },
    CUDA,
  ),
];

/** The rungs that a target climbs, of single multiply-adds; where the device's tensor cores multiply the problem's types, theirs too. */
export const ladderOf = (target: Target, of?: OnDevice): readonly Rung[] =>
  [
    ...LADDER,
    ...(of !== undefined && hasTensorCores(of) ? tensorRungs(of.problem.a.dtype, of.device) : []),
  ].filter(({ targets }) => targets?.includes(target) ?? true);
