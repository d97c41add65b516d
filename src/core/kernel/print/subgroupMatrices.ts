/**
 * Subgroup matrices of WGSL (Dawn, docs/dawn/features/subgroup_matrix.md), which are distributed
 * over the lanes of a subgroup. Offsets and strides count array elements; type parameters are
 * columns, then rows.
 */
import type { KernelIr, MatrixUse } from '../ir/ir';
import type { DType } from '../../types/dtype';
import type { Layout } from '../../spec/schema';
import type { Dialect, Printer } from './dialect';
import { literal, nameOf, variablesOf } from './wgslNames';

const TYPE: Readonly<Record<MatrixUse, string>> = { a: 'Left', b: 'Right', sum: 'Accumulator' };
const ORDER: Readonly<Record<Layout, string>> = { row: 'row_major', col: 'col_major' };

export function matrixTypes(
  { matrices, dtypes, accumulator }: KernelIr,
  printer: Printer,
): readonly string[] {
  if (matrices === undefined) return [];
  const [m, n, k] = [matrices.m, matrices.n, matrices.k].map(extent => printer.expr(extent));
  const alias = (use: MatrixUse, kind: string, dtype: DType, extents: string): string =>
    `alias ${TYPE[use]} = subgroup_matrix_${kind}<${dtype}, ${extents}>;`;
  return [
    alias('a', 'left', dtypes.a, `${k}, ${m}`),
    alias('b', 'right', dtypes.b, `${n}, ${k}`),
    alias('sum', 'result', accumulator, `${n}, ${m}`),
    '',
  ];
}

export const subgroupMatrices: Pick<
  Dialect,
  'matrices' | 'matrix' | 'loadMatrix' | 'storeMatrix' | 'multiplyMatrices'
> = {
  matrices: (statement, printer) =>
    variablesOf(statement, printer).map(name => `var ${name}: ${TYPE[statement.use]};`),
  matrix: ({ index }, declared, printer) => nameOf(declared, index.map(literal), printer),
  loadMatrix: ({ matrix, array, at, stride, order }, use) =>
    `${matrix} = subgroupMatrixLoad<${TYPE[use]}, ${ORDER[order]}>(&${array}, ${at}, ${stride});`,
  storeMatrix: ({ matrix, array, at, stride, order }) =>
    `subgroupMatrixStore<${ORDER[order]}>(&${array}, ${at}, ${matrix}, ${stride});`,
  multiplyMatrices: (place, left, right) =>
    `${place} = subgroupMatrixMultiplyAccumulate(${left}, ${right}, ${place});`,
};
