/**
 * Shapes measured for the shipped dispatch tables: square shapes in all layouts of A and B, odd
 * shapes and skinny shapes.
 */
import type { Shape } from '../../../src/core/defaults/dispatch/row';

export interface RaceInput {
  readonly shape: Shape;
  readonly layouts: string;
}

/** Layouts of A, B and C, which BLAS names NN, NT, TN and TT (for row-major matrices). */
export const LAYOUTS = ['rrr', 'rcr', 'crr', 'ccr'] as const;

const SQUARES: readonly number[] = [
  ...Array.from({ length: 25 }, (_, i) => 1024 + 128 * i),
  5120,
  6144,
  7168,
  8192,
];

type Sizes = readonly [m: number, n: number, k: number];

const ODD: readonly Sizes[] = [
  ...([1009, 1511, 2039, 3001, 4093] as const).map((size): Sizes => [size, size, size]),
  ...([1, 2, 4, 8, 16, 24, 32, 48, 64] as const).map((m): Sizes => [m, 4096, 4096]),
  ...([16, 64] as const).flatMap((m): Sizes[] => [
    [m, 1024, 8192],
    [m, 8192, 1024],
  ]),
  ...([256, 512, 1024] as const).map((size): Sizes => [size, size, 10 * size]),
  ...([
    [4096, 64, 4096],
    [4096, 16, 4096],
    [128, 4096, 4096],
    [256, 11008, 4096],
    [997, 1499, 2003],
    [2049, 2049, 2049],
    [1025, 4097, 513],
    [8192, 1024, 128],
    [8192, 8192, 64],
  ] satisfies Sizes[]),
];

export const SHAPES: readonly RaceInput[] = [
  ...ODD.map(sizes => ({ shape: shapeOf(sizes), layouts: 'rrr' })),
  ...LAYOUTS.flatMap(layouts =>
    SQUARES.map(size => ({ shape: shapeOf([size, size, size]), layouts })),
  ),
];

function shapeOf([m, n, k]: Sizes): Shape {
  return { m, n, k, batch: 1 };
}
