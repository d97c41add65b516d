/** Specs of `mma` on tensor cores of CUDA, of types whose matrices no load turns over. */
import type { GemmSpec } from '../../src/core/spec/schema';
import { cube } from './ladderSpecs';

export const TENSOR_SPECS: readonly GemmSpec[] = [
  // A by rows of 16 bytes, B word by word.
  {
    problem: { ...cube(1000), a: { dtype: 'tf32' } },
    schedule: { algorithm: 'mma', block: { m: 128, n: 64, k: 32 } },
  },
  // Floats of 8 bits, on a GPU that multiplies them as they are.
  {
    problem: { ...cube(4096), a: { dtype: 'e4m3' }, b: { layout: 'col' }, c: { dtype: 'bf16' } },
    device: 'rtx-4090',
    schedule: { algorithm: 'mma' },
  },
  // f32 in pieces: of bf16 in pairs of what lies 4 depths apart, and of tf32 what is loaded word by
  // word.
  {
    problem: { ...cube(4096), b: { layout: 'col' } },
    schedule: { algorithm: 'mma', split: 'bf16x6' },
  },
  {
    problem: { ...cube(1000), a: { layout: 'col' } },
    device: 'a100-sxm-80gb',
    schedule: { algorithm: 'mma', split: 'tf32x3' },
  },
];
