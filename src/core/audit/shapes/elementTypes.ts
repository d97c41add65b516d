/** Names of element types in PyTorch, CUTLASS, nvbench and plain lists. */
import { DTYPES, type DType } from '../../types/dtype';

const ALIASES: Readonly<Record<string, DType>> = {
  double: 'f64',
  float64: 'f64',
  float: 'f32',
  float32: 'f32',
  fp32: 'f32',
  half: 'f16',
  __half: 'f16',
  float16: 'f16',
  fp16: 'f16',
  bfloat16: 'bf16',
  __nv_bfloat16: 'bf16',
  float8_e4m3fn: 'e4m3',
  fe4m3: 'e4m3',
  float8_e5m2: 'e5m2',
  fe5m2: 'e5m2',
  int8: 's8',
  i8: 's8',
  int32: 's32',
  i32: 's32',
};

const isDType = (name: string): name is DType => (DTYPES as readonly string[]).includes(name);

/** Returns the element type of a name, ignoring case; undefined for other types. */
export function elementType(name: string): DType | undefined {
  const lower = name.trim().toLowerCase();
  if (isDType(lower)) return lower;
  return Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined;
}
