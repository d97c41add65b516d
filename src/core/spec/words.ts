/** One line for each value that a spec may choose: for completion in editors, through the JSON Schema. */
import type { DType } from '../types/dtype';
import type { Algorithm, Layout, Sharing, SplitKReduction, Variant } from './schema';

export const ALGORITHM_WORDS: Readonly<Record<Algorithm, string>> = {
  naive:
    'One element of C a thread; threadIdx.x walks rows, so neighbouring threads read distant memory.',
  coalesced:
    'One element of C a thread; threadIdx.x walks columns, so neighbouring threads read neighbouring memory.',
  'shared-tile': 'Tiles of A and B are staged in shared memory; one element of C a thread.',
  'thread-tile-1d':
    'Tiles in shared memory; a column of thread.m elements of C a thread, in registers.',
  'thread-tile-2d':
    'Tiles in shared memory; thread.m x thread.n elements of C a thread, in registers.',
  'register-tile':
    'thread.m x thread.n elements of C a thread, from global memory through the caches: no shared memory, no barrier.',
  vectorized:
    'As thread-tile-2d with accesses of up to 16 bytes, and A transposed in shared memory.',
  'warp-tile': 'Block, warp and thread tiles.',
  pipelined: 'Warp tiles with two to five stages of shared memory, filled ahead of the products.',
  layout: 'Thread layouts over the block tile, as CuTe has them.',
  mma: 'Warp tiles on matrix units: tensor cores of CUDA, subgroup matrices in WGSL, an experimental feature of Dawn and Chromium.',
  wgmma:
    'Warp groups of Hopper (CUDA, compute capability 9.0): some bring tiles by TMA, others multiply them.',
};

export const VARIANT_WORDS: Readonly<Record<Variant, string>> = {
  swap: 'coalesced: a two-dimensional block with threadIdx.x along columns.',
  remap: 'coalesced: a one-dimensional block, its index split by the width of the tile.',
  '2d': 'shared-tile: a two-dimensional block.',
  '1d': 'shared-tile: a one-dimensional block.',
  transposed: 'shared-tile: threadIdx.x walks rows.',
};

export const SHARING_WORDS: Readonly<Record<Sharing, string>> = {
  none: 'Each thread loads all that it multiplies.',
  quad: 'register-tile: of four lanes each loads a quarter of their rows of A, which must be K-major, and hands it to the others (WGSL: subgroups).',
};

export const DTYPE_WORDS: Readonly<Record<DType, string>> = {
  f64: '64-bit floating point (CUDA only).',
  f32: '32-bit floating point.',
  tf32: 'f32 in memory, multiplied in 19 of its bits on tensor cores and summed in f32 (CUDA only).',
  f16: '16-bit floating point; summed in f32, or in f16 where the accumulator says so.',
  bf16: 'bfloat16: the range of f32 in 16 bits, summed in f32 (CUDA only).',
  e4m3: '8-bit floating point, 4 bits of exponent, for tensor cores, summed in f32 (CUDA only).',
  e5m2: '8-bit floating point, 5 bits of exponent, for tensor cores, summed in f32 (CUDA only).',
  s8: '8-bit integers, summed in s32 (CUDA only).',
  s32: '32-bit integers, wrapped.',
};

export const LAYOUT_WORDS: Readonly<Record<Layout, string>> = {
  row: 'The second index is contiguous: row-major, as C arrays.',
  col: 'The first index is contiguous: column-major, as BLAS and Fortran arrays.',
};

export const SPLIT_K_WORDS: Readonly<Record<SplitKReduction, string>> = {
  'two-pass':
    'Sums of the parts go to a workspace; a second kernel adds them up, always in the same order.',
  atomic: 'Each part adds its sums to C by atomicAdd, in no fixed order (CUDA only).',
};
