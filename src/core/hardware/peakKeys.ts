/** Maps element types to the keys of their peak rates. */
import type { DType } from '../types/dtype';
import type { PeakKey } from './deviceSpec';

export const PEAK_OF: Readonly<Partial<Record<DType, PeakKey>>> = {
  f32: 'f32',
  f64: 'f64',
  f16: 'f16',
  s32: 's32',
};

/**
 * Peak-rate keys of matrix units, by the element type of A and B. f32 operands are rounded to tf32,
 * and e5m2 has the rate of e4m3.
 */
export const TENSOR_PEAK_OF: Readonly<Partial<Record<DType, PeakKey>>> = {
  f64: 'f64-tensor',
  f32: 'tf32-tensor',
  tf32: 'tf32-tensor',
  f16: 'f16-tensor',
  bf16: 'bf16-tensor',
  e4m3: 'e4m3-tensor',
  e5m2: 'e4m3-tensor',
  s8: 's8-tensor',
};
