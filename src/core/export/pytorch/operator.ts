/** Schema of the PyTorch operator, shared by its C++ and Python files. */
import { LEADING, memoryOrder } from '../roles';
import { floatLiteral } from '../numbers';
import { sizeNeeds } from '../../kernel/file/sizeNeeds';
import type { ExportSubject, GemmType } from '../subject';

/** Returns the tensors of the operator in order. */
export const tensorsOf = ({ readsC }: GemmType): readonly ('a' | 'b' | 'c')[] =>
  readsC ? ['a', 'b', 'c'] : ['a', 'b'];

/** Returns the numbers of the operator in order, with the values of the specs as defaults. */
export const scalarsOf = ({
  takesAlpha,
  takesBeta,
  alpha,
  beta,
}: GemmType): readonly { readonly name: 'alpha' | 'beta'; readonly value: number }[] => [
  ...(takesAlpha ? [{ name: 'alpha', value: alpha } as const] : []),
  ...(takesBeta ? [{ name: 'beta', value: beta } as const] : []),
];

export function schemaText(type: GemmType): string {
  const parameters = [
    ...tensorsOf(type).map(name => `Tensor ${name}`),
    ...scalarsOf(type).map(({ name, value }) => `float ${name}=${floatLiteral(value)}`),
  ];
  return `gemm(${parameters.join(', ')}) -> Tensor`;
}

/**
 * Returns the multiple to which the leading dimension of the result is rounded up, so that every
 * kernel supports it.
 */
export function resultUnit({ kernels }: ExportSubject): number {
  const units = kernels.flatMap(({ kernel }) =>
    sizeNeeds(kernel)
      .multiples.filter(({ role }) => role === LEADING.c)
      .map(({ of }) => of),
  );
  return Math.max(1, ...units);
}

/** Extents of the result in memory order. */
export const resultOrder = (type: GemmType): readonly [string, string] => memoryOrder(type, 'c');
