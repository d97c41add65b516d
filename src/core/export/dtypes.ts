/** Names of the element types in PyTorch, CuPy and NumPy. */
import type { DType } from '../types/dtype';

/** Attribute of `torch`. */
export const TORCH_TYPES: Readonly<Record<DType, string>> = {
  f64: 'float64',
  f32: 'float32',
  tf32: 'float32',
  f16: 'float16',
  bf16: 'bfloat16',
  e4m3: 'float8_e4m3fn',
  e5m2: 'float8_e5m2',
  s8: 'int8',
  s32: 'int32',
};

/** `at::ScalarType` in C++. */
export const ATEN_TYPES: Readonly<Record<DType, string>> = {
  f64: 'at::kDouble',
  f32: 'at::kFloat',
  tf32: 'at::kFloat',
  f16: 'at::kHalf',
  bf16: 'at::kBFloat16',
  e4m3: 'at::kFloat8_e4m3fn',
  e5m2: 'at::kFloat8_e5m2',
  s8: 'at::kChar',
  s32: 'at::kInt',
};

/** NumPy type; types that NumPy lacks are absent. */
export const NUMPY_TYPES: Readonly<Partial<Record<DType, string>>> = {
  f64: 'float64',
  f32: 'float32',
  tf32: 'float32',
  f16: 'float16',
  s8: 'int8',
  s32: 'int32',
};
