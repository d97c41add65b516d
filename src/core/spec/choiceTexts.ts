/**
 * Descriptions of the values of each choice. The JSON Schema contains them for completion in
 * editors.
 */
import type { DType } from '../types/dtype';
import type { Algorithm, Layout, Sharing, SplitKReduction, Variant } from './schema';

export const ALGORITHM_TEXTS: Readonly<Record<Algorithm, string>> = {
  naive:
    'One element of C per thread. threadIdx.x indexes rows, so global accesses are uncoalesced.',
  coalesced:
    'One element of C per thread. threadIdx.x indexes columns, so global accesses are coalesced.',
  'shared-tile': 'Tiles of A and B staged in shared memory; one element of C per thread.',
  'thread-tile-1d': 'Tiles in shared memory; thread.m accumulators per thread, in one column.',
  'thread-tile-2d': 'Tiles in shared memory; thread.m x thread.n accumulators per thread.',
  'register-tile':
    'thread.m x thread.n accumulators per thread, with operands loaded directly from global memory; no shared memory or barriers.',
  gemv: 'Matrix-vector product: up to four rows of A. The threads of a block split K and reduce their partial results by warp shuffles or through shared memory.',
  vectorized:
    'Like thread-tile-2d, with accesses of up to 16 bytes and A transposed in shared memory.',
  'warp-tile': 'Block, warp and thread tiles.',
  pipelined: 'Warp tiles with a software pipeline of two to five shared-memory stages.',
  layout: 'Explicit thread layouts over the block tile, in CuTe notation.',
  mma: 'Warp tiles on matrix units: tensor cores in CUDA, subgroup matrices in WGSL (experimental in Dawn and Chromium). With kernelSchedule tma, TMA loads the tiles (Hopper).',
  wgmma:
    'Hopper kernel (CUDA, compute capability 9.0): a TMA producer and consumer warp groups, or one warp group that loads and multiplies (kernelSchedule tma).',
};

export const VARIANT_TEXTS: Readonly<Record<Variant, string>> = {
  swap: 'coalesced: two-dimensional block; threadIdx.x indexes columns.',
  remap: 'coalesced: one-dimensional block; the thread index is divided by the tile width.',
  '2d': 'shared-tile: two-dimensional block.',
  '1d': 'shared-tile: one-dimensional block.',
  transposed: 'shared-tile: two-dimensional block; threadIdx.x indexes rows.',
};

export const SHARING_TEXTS: Readonly<Record<Sharing, string>> = {
  none: 'Each thread loads all of its operands.',
  quad: 'register-tile: each lane of a quad loads every fourth k of A and broadcasts it. WGSL requires subgroups.',
};

export const DTYPE_TEXTS: Readonly<Record<DType, string>> = {
  f64: '64-bit floating point (CUDA only).',
  f32: '32-bit floating point.',
  tf32: 'f32 in memory, rounded to 19 bits by tensor cores; f32 accumulation (CUDA only).',
  f16: '16-bit floating point; f32 accumulation, or f16 if set as the accumulator.',
  bf16: 'bfloat16, with the range of f32 in 16 bits; f32 accumulation (CUDA only).',
  e4m3: '8-bit floating point with 4 exponent bits; f32 accumulation on tensor cores (CUDA only).',
  e5m2: '8-bit floating point with 5 exponent bits; f32 accumulation on tensor cores (CUDA only).',
  s8: '8-bit integers; s32 accumulation (CUDA only).',
  s32: '32-bit integers, which wrap on overflow.',
};

export const LAYOUT_TEXTS: Readonly<Record<Layout, string>> = {
  row: 'The second index is contiguous: row-major, as in C.',
  col: 'The first index is contiguous: column-major, as in BLAS and Fortran.',
};

export const SPLIT_K_TEXTS: Readonly<Record<SplitKReduction, string>> = {
  'two-pass':
    'Slices write partial results to a workspace; a second kernel reduces them in a fixed order.',
  atomic: 'Each slice adds its partial results to C with atomicAdd, in no fixed order (CUDA only).',
};
