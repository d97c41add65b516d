/** Seeds bugs that round too early, too often, to a lower precision, or toward zero. */
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Statement, Value } from '../../src/core/kernel/ir/ir';
import type { DType } from '../../src/core/types/dtype';
import type { Kind } from './kinds';

const through = (value: Value, wide: DType, narrow: DType): Value => ({
  op: 'convert',
  from: narrow,
  to: wide,
  value: { op: 'convert', from: wide, to: narrow, value },
});

const mapSums = (value: Value, change: (sum: Value) => Value): Value => {
  switch (value.op) {
    case 'register':
      return change(value);
    case 'add':
      return { ...value, left: mapSums(value.left, change) };
    case 'mul':
      return { ...value, right: mapSums(value.right, change) };
    default:
      return value;
  }
};

/** Returns the rounding bugs of a kernel; empty if the accumulator and C have the same type. */
export function roundingKinds({ plan }: Kernel): readonly Kind[] {
  const { accumulator: wide } = plan;
  const narrow = plan.dtypes.c;
  if (narrow === wide) return [];
  return [
    {
      name: 'accumulator rounded before scaling',
      change: s => {
        if (s.op !== 'assign' || s.value.op !== 'convert' || s.value.to !== narrow)
          return undefined;
        const { value } = s.value;
        if (value.op !== 'add' && value.op !== 'mul') return undefined;
        const rounded = mapSums(value, sum => through(sum, wide, narrow));
        return [{ ...s, value: { ...s.value, value: rounded } }];
      },
    },
    {
      name: 'products rounded to the element type',
      change: (s): readonly Statement[] | undefined => {
        if (s.op !== 'fma') return undefined;
        const { left, right, place, width } = s;
        const product = through({ op: 'mul', left, right }, wide, narrow);
        const value: Value = { op: 'add', left: place, right: product };
        return [{ op: 'assign', place, value, ...(width === undefined ? {} : { width }) }];
      },
    },
  ];
}

/**
 * Returns the CUDA source with 16-bit conversions that round toward zero, or null if it has no such
 * conversion.
 */
export function truncating(source: string): string | null {
  const cut = source.replace(/__float2(half|bfloat16)\(/g, '__float2$1_rz(');
  return cut === source ? null : cut;
}
