/** Tiles of A and B in shared memory, which the threads of a block copy together. */
import {
  add,
  constant,
  div,
  int,
  mod,
  mul,
  parameter,
  threadIdx,
  variable,
} from '../kernel/ir/expr';
import type {
  Condition,
  Expr,
  GlobalElement,
  SharedArray,
  SharedElement,
  Statement,
  Value,
} from '../kernel/ir/ir';
import { comment, declare, forLoop } from '../kernel/lower/loops';
import type { Dim3 } from '../plan/plan';
import type { DType } from '../types/dtype';
import type { sharedTile } from './rules';

type Tile = NonNullable<ReturnType<typeof sharedTile>>;

const ARRAY = { a: 'As', b: 'Bs' } as const;
const THREADS = constant('THREADS');

export const sharedArrays = (tile: Tile | null, dtype: DType): readonly SharedArray[] =>
  tile === null
    ? []
    : [
        { name: ARRAY.a, dtype, outer: int(tile.m), inner: int(tile.k) },
        { name: ARRAY.b, dtype, outer: int(tile.k), inner: int(tile.n) },
      ];

const shared = (operand: 'a' | 'b', outer: Expr, inner: Expr, name: string): SharedElement => ({
  op: 'shared',
  site: { name, operand },
  array: ARRAY[operand],
  outer,
  inner,
});

/** Elements of the tiles at a row, a column and a depth within the tile. */
export const sharedFactors = (at: {
  readonly row: Expr;
  readonly column: Expr;
  readonly depth: Expr;
}): { readonly a: Value; readonly b: Value } => ({
  a: shared('a', at.row, at.depth, 'As load'),
  b: shared('b', at.depth, at.column, 'Bs load'),
});

interface Copy {
  /** First row, column and k of the tiles. */
  readonly row: Expr;
  readonly column: Expr;
  readonly depth: Expr;
  readonly block: Dim3;
  /** Whether tiles may extend beyond the matrices. */
  readonly guards: { readonly m: boolean; readonly n: boolean; readonly k: boolean };
}

/** Copies both tiles. Elements outside of the matrices are zeros. */
export function copyTiles(tile: Tile, copy: Copy): readonly Statement[] {
  const { guards, row, column, depth } = copy;
  const inA = { rows: tile.m, columns: tile.k, row, column: depth };
  const inB = { rows: tile.k, columns: tile.n, row: depth, column };
  return [
    comment('Copy the tiles of A and B to shared memory.'),
    ...copyTile('a', inA, { block: copy.block, guardRows: guards.m, guardColumns: guards.k }),
    ...copyTile('b', inB, { block: copy.block, guardRows: guards.k, guardColumns: guards.n }),
    { op: 'barrier' },
  ];
}

interface Region {
  readonly rows: number;
  readonly columns: number;
  readonly row: Expr;
  readonly column: Expr;
}

interface Threads {
  readonly block: Dim3;
  readonly guardRows: boolean;
  readonly guardColumns: boolean;
}

const EXTENTS = {
  a: [parameter('m'), parameter('k')],
  b: [parameter('k'), parameter('n')],
} as const;

function copyTile(
  operand: 'a' | 'b',
  { rows, columns, row, column }: Region,
  { block, guardRows, guardColumns }: Threads,
): readonly Statement[] {
  const [r, c] = [variable('r'), variable('c')];
  const [allRows, allColumns] = EXTENTS[operand];
  const source: GlobalElement = {
    op: 'global',
    site: { name: `${operand.toUpperCase()} load`, operand },
    outer: add(row, r),
    stride: allColumns,
    inner: add(column, c),
  };
  const condition: Condition = [
    ...(guardRows ? [{ left: add(row, r), right: allRows }] : []),
    ...(guardColumns ? [{ left: add(column, c), right: allColumns }] : []),
  ];
  const value: Value =
    condition.length === 0 ? source : { op: 'guarded', condition, value: source };
  const body: readonly Statement[] = [
    declare('r', div(variable('e'), int(columns))),
    declare('c', mod(variable('e'), int(columns))),
    { op: 'assign', place: shared(operand, r, c, `${ARRAY[operand]} store`), value },
  ];
  return [forLoop('e', int(rows * columns), body, { from: threadOf(block), step: THREADS })];
}

/** Index of a thread in its block, x fastest. */
const threadOf = ({ x, y, z }: Dim3): Expr => {
  const plane = z === 1 ? threadIdx('y') : add(mul(threadIdx('z'), int(y)), threadIdx('y'));
  return y === 1 && z === 1 ? threadIdx('x') : add(mul(plane, int(x)), threadIdx('x'));
};
