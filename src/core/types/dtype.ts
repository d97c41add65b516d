/** Element types: names, sizes and precision. The planner checks which types a target supports. */

export const DTYPES = ['f64', 'f32', 'tf32', 'f16', 'bf16', 'e4m3', 'e5m2', 's8', 's32'] as const;
export type DType = (typeof DTYPES)[number];

/** Bytes per element in memory. tf32 is stored as f32, which the MMA instruction rounds. */
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

/**
 * Unit roundoff u = 2^-p of round-to-nearest; 0 for integers, which are exact (IEEE 754; NVIDIA PTX
 * ISA for tf32).
 */
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

/** Accumulator types per input type, the default type first; some inputs require tensor cores. */
const ACCUMULATORS: Readonly<Record<DType, readonly DType[]>> = {
  f64: ['f64'],
  f32: ['f32', 'f64'],
  tf32: ['f32'],
  f16: ['f32', 'f16'],
  bf16: ['f32'],
  e4m3: ['f32'],
  e5m2: ['f32'],
  s8: ['s32'],
  s32: ['s32'],
};

/**
 * Output types per accumulator type: the accumulator type, and the types to which a single
 * conversion rounds or widens an accumulator.
 */
const OUTPUTS: Readonly<Partial<Record<DType, readonly DType[]>>> = {
  f64: ['f64', 'f32'],
  f32: ['f32', 'f16', 'bf16'],
  f16: ['f16', 'f32'],
  s32: ['s32'],
};

/**
 * Returns the accumulator types to which both inputs convert exactly, the default type first.
 * Returns an empty list for incompatible inputs.
 */
export const accumulatorsOf = (a: DType, b: DType): readonly DType[] =>
  ACCUMULATORS[a].filter(dtype => ACCUMULATORS[b].includes(dtype));

export const outputsOf = (accumulator: DType): readonly DType[] => OUTPUTS[accumulator] ?? [];

export const defaultAccumulator = (a: DType, b: DType = a): DType =>
  accumulatorsOf(a, b)[0] ?? ACCUMULATORS[a][0] ?? 'f32';

export const isInteger = (dtype: DType): boolean => dtype === 's8' || dtype === 's32';

/** Returns whether only tensor cores support MMAs of this type. */
export const needsTensorCores = (dtype: DType): boolean =>
  dtype === 'tf32' || dtype === 'e4m3' || dtype === 'e5m2';

/**
 * Returns the default type of C: the type of A, or the accumulator type for integers and for types
 * that require tensor cores.
 */
export const defaultOutput = (a: DType): DType =>
  isInteger(a) || needsTensorCores(a) ? defaultAccumulator(a) : a;

/** Describes the element types of a GEMM, such as `f16, f32 accumulation`. */
export function typesText(of: {
  readonly a: { readonly dtype: DType };
  readonly b: { readonly dtype: DType };
  readonly c: { readonly dtype: DType };
  readonly accumulator: DType;
}): string {
  const [a, b, c] = [of.a.dtype, of.b.dtype, of.c.dtype];
  const inputs = a === b ? a : `${a} x ${b}`;
  const stored = c === a && c === b ? inputs : `${inputs} to ${c}`;
  return of.accumulator === a && of.accumulator === b
    ? stored
    : `${stored}, ${of.accumulator} accumulation`;
}
