/** Kernels for comparing counters with the analysis, including padded and swizzled layouts. */
import type { GemmSpec } from '../../../src/core/spec/schema';

type Schedule = NonNullable<GemmSpec['schedule']>;

const TILE = { block: { m: 64, n: 64, k: 16 }, thread: { m: 4, n: 4 } } as const;
const WARPED = { ...TILE, warp: { m: 32, n: 16 }, vector: 4 } as const;

const PLAIN: readonly Schedule[] = [
  { algorithm: 'naive', block: { m: 32, n: 32 } },
  { algorithm: 'coalesced', block: { m: 32, n: 32 } },
  { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 } },
  { algorithm: 'thread-tile-1d', block: { m: 64, n: 64, k: 8 }, thread: { m: 8 } },
  { algorithm: 'thread-tile-2d', ...TILE },
  { algorithm: 'vectorized', ...TILE, vector: 4 },
  { algorithm: 'warp-tile', ...WARPED },
  { algorithm: 'pipelined', ...WARPED, stages: 3 },
  { algorithm: 'layout' },
];

const CHANGED: readonly Schedule[] = [
  { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 }, padding: { a: 1, b: 1 } },
  { algorithm: 'thread-tile-2d', ...TILE, padding: { a: 1, b: 0 } },
  { algorithm: 'vectorized', ...TILE, vector: 4, padding: { a: 4, b: 0 } },
  { algorithm: 'vectorized', ...TILE, vector: 4, swizzle: 'xor' },
  { algorithm: 'warp-tile', ...WARPED, padding: { a: 4, b: 4 } },
  { algorithm: 'warp-tile', ...WARPED, swizzle: 'xor' },
  { algorithm: 'pipelined', ...WARPED, stages: 2, padding: { a: 4, b: 0 } },
  { algorithm: 'pipelined', ...WARPED, stages: 2, swizzle: 'xor' },
];

const LAYOUTS = (['row', 'col'] as const).flatMap(a =>
  (['row', 'col'] as const).map(b => [a, b] as const),
);

/** `size` must be a multiple of every tile size, so that no boundary check skips a request. */
export const siteKernels = (size: number): readonly GemmSpec[] =>
  LAYOUTS.flatMap(([a, b]) =>
    (a === 'row' && b === 'row' ? [...PLAIN, ...CHANGED] : PLAIN).map(schedule =>
      specOf(size, schedule, a, b),
    ),
  );

const PIPELINED: Schedule = {
  algorithm: 'pipelined',
  block: { m: 128, n: 128, k: 16 },
  warp: { m: 32, n: 64 },
  thread: { m: 8, n: 8 },
  vector: 4,
  stages: 3,
  padding: { a: 4, b: 0 },
};
const WIDE: Schedule = { ...PIPELINED, block: { m: 64, n: 256, k: 8 } };
const TALL: Schedule = { ...PIPELINED, block: { m: 256, n: 64, k: 8 }, warp: { m: 64, n: 32 } };

const SMALLER: Schedule = {
  ...PIPELINED,
  block: { m: 64, n: 128, k: 16 },
  stages: 4,
  minBlocksPerSm: 4,
};
const LARGER: Schedule = {
  ...PIPELINED,
  block: { m: 256, n: 128, k: 8 },
  warp: { m: 64, n: 64 },
  thread: { m: 16, n: 8 },
  stages: 4,
};
const SMALL: Schedule = {
  ...PIPELINED,
  block: { m: 64, n: 64, k: 16 },
  warp: { m: 32, n: 32 },
  thread: { m: 4, n: 8 },
  stages: 4,
};
const DIRECT: Schedule = {
  algorithm: 'warp-tile',
  vector: 4,
  padding: { a: 4, b: 0 },
  block: { m: 128, n: 128, k: 16 },
  warp: { m: 32, n: 64 },
  thread: { m: 8, n: 8 },
};

const WALKS: readonly Schedule[] = [
  PIPELINED,
  { ...PIPELINED, minBlocksPerSm: 2 },
  ...[2, 4, 8, 16].map(group => ({ ...PIPELINED, raster: { order: 'row' as const, group } })),
  { ...PIPELINED, raster: { order: 'col', group: 1 } },
  { ...PIPELINED, raster: { order: 'col', group: 8 } },
  { ...PIPELINED, splitK: 4 },
  WIDE,
  TALL,
  { ...WIDE, raster: { order: 'row', group: 8 } },
  { ...TALL, raster: { order: 'col', group: 8 } },
  ...[SMALLER, LARGER, SMALL, DIRECT].flatMap((schedule): readonly Schedule[] => [
    schedule,
    { ...schedule, raster: { order: 'row', group: 8 } },
    { ...schedule, raster: { order: 'col', group: 4 } },
  ]),
];

export const trafficKernels = (size: number): readonly GemmSpec[] => [
  ...[...PLAIN, ...WALKS].map(schedule => specOf(size, schedule, 'row', 'row')),
  ...LAYOUTS.slice(1).map(([a, b]) => specOf(size, { ...PIPELINED, minBlocksPerSm: 2 }, a, b)),
];

type Layout = 'row' | 'col';

function specOf(size: number, schedule: Schedule, a: Layout, b: Layout): GemmSpec {
  const problem = { m: size, n: size, k: size, a: { layout: a }, b: { layout: b } };
  return { problem, schedule, targets: ['cuda'] };
}
