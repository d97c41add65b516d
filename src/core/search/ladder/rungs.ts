/** Rungs of the ladder: the steps of the published tutorials, followed by tuned schedules. */
import { hasTensorCores, type OnDevice } from '../../plan/instructions';
import type { Algorithm, Schedule, Target } from '../../spec/schema';
import { tensorRungs } from './tensorRungs';

export interface Rung {
  readonly algorithm: Algorithm;
  readonly change: string;
  readonly schedule: Schedule;
  /** Targets of the rung; omitted if the rung applies to every target. */
  readonly targets?: readonly Target[];
  /** Schedule for WGSL adapters with small workgroup limits; fits WebGPU's default limits. */
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
const SMALL = { small: { block: { m: 16, n: 16 } } } as const;

const SQUARE = { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } } as const;
const WARPS = {
  block: { m: 128, n: 128, k: 16 },
  warp: { m: 64, n: 32 },
  thread: { m: 8, n: 8 },
} as const;

/** Limits that WebGPU rungs may request; desktop adapters support them. */
export const LADDER_WEBGPU_LIMITS = { invocations: 1024, workgroupStorageBytes: 32_768 } as const;

export const LADDER: readonly Rung[] = [
  rung(
    'naive',
    'one thread per element of C, consecutive lanes in consecutive rows',
    { block: { m: 32, n: 32 } },
    SMALL,
  ),
  rung(
    'coalesced',
    'two-dimensional block, consecutive lanes in consecutive columns',
    { variant: 'swap', block: { m: 32, n: 32 } },
    SMALL,
  ),
  rung(
    'coalesced',
    'one-dimensional thread index, tile rows from blockIdx.x',
    { variant: 'remap', block: { m: 32, n: 32 }, raster: { order: 'col' } },
    SMALL,
  ),
  rung(
    'shared-tile',
    'shared-memory tiles',
    { block: { m: 32, n: 32, k: 32 } },
    { small: { block: { m: 16, n: 16, k: 16 } } },
  ),
  rung(
    'thread-tile-1d',
    'one column of accumulators per thread',
    { block: { m: 64, n: 64, k: 8 }, thread: { m: 8 } },
    { small: { block: { m: 64, n: 32, k: 8 } } },
  ),
  rung('thread-tile-2d', '4 x 4 accumulators per thread', {
    block: { m: 64, n: 64, k: 8 },
    thread: { m: 4, n: 4 },
  }),
  rung('thread-tile-2d', '8 x 8 accumulators per thread', SQUARE),
  rung('thread-tile-2d', 'padding to avoid bank conflicts', { ...SQUARE, padding: { a: 1 } }),
  rung('layout', 'CuTe thread layouts over the tiles', {}),
  rung('vectorized', '128-bit accesses, A transposed, interleaved accumulators', SQUARE),
  rung('vectorized', 'padding to avoid bank conflicts in transposing stores', {
    ...SQUARE,
    padding: { a: 4 },
  }),
  rung('warp-tile', 'warp tiles, no padding, twice the K extent', WARPS),
  rung('warp-tile', 'padding of 2 to avoid bank conflicts in stores', {
    ...WARPS,
    padding: { a: 2 },
  }),
  rung('pipelined', 'double buffering without padding: loads of the next tile overlap FMAs', {
    ...WARPS,
    block: SQUARE.block,
    stages: 2,
  }),
  rung('pipelined', 'swizzle to avoid bank conflicts in stores', {
    ...WARPS,
    block: SQUARE.block,
    stages: 2,
    swizzle: 'xor',
  }),
  rung('pipelined', 'two stages, twice the K extent, no swizzle', { ...WARPS, stages: 2 }, WGSL),
  rung(
    'pipelined',
    'smaller block tile',
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
    'three stages, twice the K extent, two blocks per SM',
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
    'smaller block tiles, four stages, four blocks per SM',
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
    'same tiles, raster groups of 8 tile rows',
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
    '16 x 8 accumulators per thread, one block per SM',
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

/**
 * Returns the rungs of a target: FMA rungs, followed by tensor-core rungs if the device supports
 * the problem's types.
 */
export const ladderOf = (target: Target, of?: OnDevice): readonly Rung[] =>
  [
    ...LADDER,
    ...(of !== undefined && hasTensorCores(of) ? tensorRungs(of.problem.a.dtype, of.device) : []),
  ].filter(({ targets }) => targets?.includes(target) ?? true);
