/** Element types of CUDA C++ and their conversions. */
import { DTYPE_BYTES, type DType } from '../../types/dtype';

const TYPES: Readonly<Partial<Record<DType, string>>> = {
  f64: 'double',
  f32: 'float',
  f16: '__half',
  bf16: '__nv_bfloat16',
  s32: 'int',
  s8: 'int8_t',
  tf32: 'float',
  e4m3: '__nv_fp8_e4m3',
  e5m2: '__nv_fp8_e5m2',
};

export const cudaType = (dtype: DType): string => TYPES[dtype] ?? dtype;

export const HEADERS: Readonly<Partial<Record<DType, string>>> = {
  f16: 'cuda_fp16.h',
  bf16: 'cuda_bf16.h',
  s8: 'cstdint',
  e4m3: 'cuda_fp8.h',
  e5m2: 'cuda_fp8.h',
};

/** Types of two adjacent elements. */
export const PAIRS: Readonly<Partial<Record<DType, string>>> = {
  f32: 'float2',
  f16: '__half2',
  bf16: '__nv_bfloat162',
};

/** Integer types by size in bytes, for bitwise copies of elements narrower than 4 bytes. */
const WORDS: Readonly<Record<number, string>> = { 2: 'short', 4: 'int', 8: 'int2', 16: 'int4' };

/** Returns a type with the size and alignment of `width` elements. */
export function vectorType(dtype: DType, width: number): string {
  if (width === 1) return cudaType(dtype);
  const bytes = DTYPE_BYTES[dtype];
  return bytes >= 4 ? `${cudaType(dtype)}${width}` : (WORDS[bytes * width] ?? '');
}

export const TO_TF32 = 'toTf32';

const CONVERSIONS: Readonly<Partial<Record<DType, Readonly<Partial<Record<DType, string>>>>>> = {
  f16: { f32: '__half2float' },
  bf16: { f32: '__bfloat162float' },
  f32: { f16: '__float2half', bf16: '__float2bfloat16', tf32: TO_TF32 },
};

/** Prints a conversion. int8_t needs no conversion: C++ promotes it to int. */
export function convertedText(value: string, from: DType, to: DType): string {
  if (from === 's8') return value;
  return `${CONVERSIONS[from]?.[to] ?? cudaType(to)}(${value})`;
}
