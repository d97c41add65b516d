/** Schema of the PyTorch operator, shared by its C++ and Python files. */
import { extrasOf, isMatrix, matrixOrder, type ExtraOperand, type ExtraSide } from '../epilogue';
import { LEADING, memoryOrder } from '../roles';
import { floatLiteral } from '../numbers';
import { sizeNeeds } from '../../kernel/file/sizeNeeds';
import type { ExportSubject, GemmType } from '../subject';

/** Returns the matrices of the operator that the product reads. */
export const matricesOf = ({ readsC }: GemmType): readonly ('a' | 'b' | 'c')[] =>
  readsC ? ['a', 'b', 'c'] : ['a', 'b'];

/** Returns the tensors of the operator in order. */
export const tensorsOf = (type: GemmType): readonly string[] => [
  ...matricesOf(type),
  ...extrasOf(type).map(({ name }) => name),
];

/** Returns the shape of an epilogue operand; a value has none. */
export const extraShape = (
  operand: ExtraOperand,
  { isBatched }: GemmType,
): readonly ('batch' | ExtraSide)[] => [
  ...(isMatrix(operand) && isBatched ? (['batch'] as const) : []),
  ...operand.sides,
];

/** Returns the strides of an epilogue operand in elements, with the prefix `of` for extents. */
export function extraStrides(
  operand: ExtraOperand,
  { isBatched, of = '' }: { readonly isBatched: boolean; readonly of?: string },
): readonly string[] {
  if (!isMatrix(operand)) return operand.sides.map(() => '1');
  const [across, along] = matrixOrder(operand);
  const ld = String(operand.ld ?? `${of}${along}`);
  const matrix = operand.layout === 'row' ? [ld, '1'] : ['1', ld];
  return [...(isBatched ? [`${of}${across} * ${ld}`] : []), ...matrix];
}

/** Formats a tuple of Python. */
export const tuple = (items: readonly string[]): string =>
  `(${items.join(', ')}${items.length === 1 ? ',' : ''})`;

/** Returns an operand in a shape that PyTorch and CuPy broadcast to that of the result. */
export const broadcastText = ({ name, sides }: ExtraOperand): string =>
  isMatrix({ sides }) || sides[0] !== 'm' ? name : `${name}[:, None]`;

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
