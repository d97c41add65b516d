/** Computes the offsets of a kernel's arrays in shared memory, where the arrays are consecutive. */
import type { KernelIr } from '../kernel/ir/ir';
import { valueOf } from '../kernel/ir/writeOut';
import { DTYPE_BYTES } from '../types/dtype';

/** Offset and row length of an array, in elements, and bytes per element. */
export interface SharedOffset {
  readonly base: number;
  readonly row: number;
  readonly bytes: number;
}

export function sharedOffsets({
  constants,
  shared,
}: Pick<KernelIr, 'constants' | 'shared'>): ReadonlyMap<string, SharedOffset> {
  const values = new Map(constants.map(({ name, value }) => [name, value]));
  const places = new Map<string, SharedOffset>();
  let bytesBefore = 0;
  for (const { name, dtype, inner, outer, stages } of shared) {
    const bytes = DTYPE_BYTES[dtype];
    const [base, row] = [Math.ceil(bytesBefore / bytes), valueOf(inner, values)];
    places.set(name, { base, row, bytes });
    const rows = valueOf(outer, values) * (stages === undefined ? 1 : valueOf(stages, values));
    bytesBefore = (base + rows * row) * bytes;
  }
  return places;
}
