/** Specs whose kernels are golden files for both targets. */
import type { GemmSpec } from '../../src/core/spec/schema';

export const cube = (size: number) => ({ m: size, n: size, k: size });
const s32 = { dtype: 's32' } as const;

/**
 * One kernel a rung and target, and what the rungs have in common once: edges, padding, alpha and
 * beta, dynamic memory.
 */
export const LADDER: readonly GemmSpec[] = [
  { problem: cube(1024), schedule: { algorithm: 'naive' } },
  { problem: cube(1024), schedule: { algorithm: 'coalesced', variant: 'swap' } },
  { problem: cube(1024), schedule: { algorithm: 'coalesced', variant: 'remap' } },
  {
    problem: cube(1024),
    schedule: { algorithm: 'coalesced', variant: 'remap', raster: { order: 'col' } },
  },
  { problem: cube(1024), schedule: { algorithm: 'shared-tile', variant: '2d' } },
  { problem: cube(1024), schedule: { algorithm: 'shared-tile', variant: '1d' } },
  {
    problem: { ...cube(1000), a: s32 },
    schedule: { algorithm: 'shared-tile', variant: 'transposed' },
  },
  { problem: cube(1024), schedule: { algorithm: 'thread-tile-1d' } },
  { problem: cube(1024), schedule: { algorithm: 'thread-tile-2d' } },
  // The tutorial's sizes and strides (NT), and a TN beside it.
  {
    problem: { m: 5120, n: 5120, k: 4096, a: { layout: 'col' }, c: { layout: 'col' } },
    schedule: { algorithm: 'layout' },
  },
  { problem: cube(1024), schedule: { algorithm: 'vectorized' } },
  { problem: cube(1024), schedule: { algorithm: 'warp-tile', swizzle: 'xor' } },
  { problem: cube(1024), schedule: { algorithm: 'pipelined' } },
  {
    problem: { m: 1000, n: 1022, k: 1030, alpha: 2, beta: 0.5, c: { layout: 'col' } },
    schedule: { algorithm: 'warp-tile', padding: { a: 4 }, block: { k: 8 }, raster: { group: 8 } },
  },
  {
    problem: {
      m: 1000,
      n: 500,
      k: 300,
      alpha: 2,
      beta: 0.5,
      a: { layout: 'col' },
      b: { layout: 'col' },
    },
    schedule: { algorithm: 'thread-tile-2d', padding: { a: 1, b: 1 }, minBlocksPerSm: 2 },
  },
  // The depths of a tile written out, and the next tile in registers meanwhile: whole tiles, and
  // past every edge.
  {
    problem: cube(1024),
    schedule: {
      algorithm: 'warp-tile',
      prefetch: 'registers',
      unroll: 'full',
      traversal: 'row',
      block: { m: 64, n: 64, k: 8 },
      warp: { m: 32, n: 64 },
      padding: { a: 4 },
    },
    targets: ['wgsl'],
  },
  {
    problem: {
      m: 1000,
      n: 1022,
      k: 1030,
      batch: 2,
      alpha: 2,
      beta: 0.5,
      a: { layout: 'col' },
      b: { layout: 'col' },
      c: { layout: 'col' },
    },
    schedule: {
      algorithm: 'vectorized',
      prefetch: 'registers',
      traversal: 'col',
      block: { m: 64, n: 64, k: 4 },
      thread: { m: 8, n: 8 },
      padding: { b: 4 },
    },
  },
  // Caches alone: a quad's lanes share A; and vectors along each operand's own contiguous index,
  // past every edge.
  {
    problem: cube(1024),
    schedule: {
      algorithm: 'register-tile',
      sharing: 'quad',
      block: { m: 32, n: 32, k: 4 },
      thread: { m: 4, n: 4 },
    },
  },
  {
    problem: {
      m: 500,
      n: 260,
      k: 300,
      alpha: 2,
      beta: 0.5,
      a: { layout: 'col' },
      b: { layout: 'col' },
      c: { layout: 'col' },
    },
    schedule: { algorithm: 'register-tile', block: { m: 32, n: 32, k: 8 }, thread: { m: 4, n: 4 } },
  },
  // Matrix-vector products: K contiguous in B, with warps along K; N contiguous in B, with partial
  // sums in shared memory; and odd extents, with every accumulator in another order.
  { problem: { m: 1, n: 4096, k: 4096, b: { layout: 'col' } }, schedule: { algorithm: 'gemv' } },
  { problem: { m: 4, n: 4096, k: 4096 }, schedule: { algorithm: 'gemv' } },
  {
    problem: {
      m: 3,
      n: 1021,
      k: 1022,
      batch: 2,
      alpha: 2,
      beta: 0.5,
      a: { layout: 'col' },
      b: { layout: 'col' },
      c: { layout: 'col' },
    },
    schedule: {
      algorithm: 'gemv',
      block: { m: 3, n: 4, k: 256 },
      thread: { m: 3, n: 2, k: 4 },
      splitK: 2,
    },
  },
  // Few tiles and a long K.
  {
    problem: { m: 500, n: 260, k: 8195, batch: 3, alpha: 2, beta: 1 },
    schedule: { algorithm: 'pipelined', splitK: 8 },
  },
];
