/** Element types: names, sizes and precision. What a target can express is the plan's business. */

export const DTYPES = ['f64', 'f32', 'tf32', 'f16', 'bf16', 'e4m3', 'e5m2', 's8', 's32'] as const;
export type DType = (typeof DTYPES)[number];

/** Bytes an element occupies in memory (tf32 is stored as f32). */
export const DTYPE_BYTES: Readonly<Record<DType, number>> = {
  f64: 8,
  f32: 4,
  tf32: 4,
  f16: 2,
  bf16: 2,
  e4m3: 1,
  e5m2: 1,
  s8: 1,
  s32: 4,
};

/** Unit roundoff u = 2^-p of round-to-nearest; 0 for integers, which are exact (IEEE 754; NVIDIA PTX ISA for tf32). */
export const UNIT_ROUNDOFF: Readonly<Record<DType, number>> = {
  f64: 2 ** -53,
  f32: 2 ** -24,
  tf32: 2 ** -11,
  f16: 2 ** -11,
  bf16: 2 ** -8,
  e4m3: 2 ** -4,
  e5m2: 2 ** -3,
  s8: 0,
  s32: 0,
};

const DEFAULT_ACCUMULATOR: Readonly<Record<DType, DType>> = {
  f64: 'f64',
  f32: 'f32',
  tf32: 'f32',
  f16: 'f32',
  bf16: 'f32',
  e4m3: 'f32',
  e5m2: 'f32',
  s8: 's32',
  s32: 's32',
};

/** The accumulator a problem gets when it names none. */
export const defaultAccumulator = (input: DType): DType => DEFAULT_ACCUMULATOR[input];

export const isInteger = (dtype: DType): boolean => dtype === 's8' || dtype === 's32';
