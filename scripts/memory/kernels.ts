/** The kernels whose counters are compared with the analysis: every algorithm and layout, padded and swizzled too. */
import type { GemmSpec } from '../../src/core/spec/schema';

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

/** Sizes that every tile divides, so that no test at an edge leaves a request out. */
export const countedKernels = (size: number): readonly GemmSpec[] =>
  LAYOUTS.flatMap(([a, b]) =>
    (a === 'row' && b === 'row' ? [...PLAIN, ...CHANGED] : PLAIN).map(schedule => ({
      problem: { m: size, n: size, k: size, a: { layout: a }, b: { layout: b } },
      schedule,
      targets: ['cuda'],
    })),
  );
