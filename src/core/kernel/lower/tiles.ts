/** Staging of a tile in shared memory, one element at a time. */
import { add, div, int, mod, mul, threadIdx, variable } from '../ir/expr';
import type { Expr, Statement } from '../ir/ir';
import type { Plan } from '../../plan/plan';
import { onlyIf } from './loops';
import * as name from './names';
import { siteAt, type At } from './staging';

const LABEL = { a: 'A', b: 'B' } as const;

/**
 * Copies one tile of A or B from global to shared memory. Rows of A and columns of B outside the
 * matrix are zero.
 */
export function loadTile(plan: Plan, operand: 'a' | 'b', at: At): readonly Statement[] {
  return name.isThreadTiled(plan) ? strided(plan, operand, at) : byElement(plan, operand, at);
}

type Place = readonly [Expr, Expr];

interface Element {
  readonly operand: 'a' | 'b';
  readonly inTile: Place;
  readonly inMatrix: Place;
  readonly at: At;
}

function copy(plan: Plan, { operand, inTile, inMatrix, at }: Element): readonly Statement[] {
  const [row, column] = inMatrix;
  const element = name.globalElement(plan, { operand, row, column, site: '' });
  const value = { ...element, site: siteAt(`${LABEL[operand]} tile load`, operand, at) };
  const condition = name.inside(plan, operand, row, column);
  const stored = name.sharedElement(plan, {
    operand,
    row: inTile[0],
    column: inTile[1],
    site: siteAt(`${LABEL[operand]}s store`, operand, at),
  });
  const depth = operand === 'a' ? column : row;
  return onlyIf(at.edge === 'end' ? [{ left: depth, right: name.kEnd(plan) }] : [], [
    {
      op: 'assign',
      place: stored,
      value: condition.length === 0 ? value : { op: 'guarded', condition, value },
    },
  ]);
}

/**
 * Copies a tile with a one-dimensional block: thread tid copies elements tid, tid + THREADS, ... of
 * the tile.
 */
function strided(plan: Plan, operand: 'a' | 'b', at: At): readonly Statement[] {
  const [rows, columns] = name.tileExtent(operand);
  const [outer, inner] = name.ordered(plan, operand, rows, columns);
  const tile = plan.shared?.[operand];
  const elements = tile === undefined ? 0 : tile.outer * tile.inner;
  const even = elements % plan.threads === 0;
  const tid = threadIdx('x');
  const i = variable('i');
  const element = even ? add(i, tid) : i;
  const [row, column] = name.ordered(plan, operand, div(element, inner), mod(element, inner));
  const [r, c] = [variable('r'), variable('c')];
  const inMatrix: Place =
    operand === 'a'
      ? [add(name.blockRow, r), add(at.k0, c)]
      : [add(at.k0, r), add(name.blockCol, c)];
  return [
    {
      op: 'for',
      index: 'i',
      from: even ? int(0) : tid,
      to: mul(outer, inner),
      step: name.THREADS,
      unroll: even,
      body: [
        { op: 'let', name: 'r', value: row },
        { op: 'let', name: 'c', value: column },
        ...copy(plan, { operand, inTile: [r, c], inMatrix, at }),
      ],
    },
  ];
}

/**
 * Copies a tile with a two-dimensional thread block. The block traverses the tile in memory order,
 * with threadCol along the contiguous dimension. A dimension in which block and tile have equal
 * extents needs no loop.
 */
function byElement(plan: Plan, operand: 'a' | 'b', at: At): readonly Statement[] {
  const { tile } = plan;
  const [rowsOf, columnsOf] = operand === 'a' ? (['m', 'k'] as const) : (['k', 'n'] as const);
  const [outer, inner] = name.ordered(plan, operand, rowsOf, columnsOf);
  const constants = { m: name.BM, n: name.BN, k: name.BK } as const;
  const walks = [
    { of: outer, thread: name.threadRow, threads: tile.m, step: name.BM },
    { of: inner, thread: name.threadCol, threads: tile.n, step: name.BN },
  ].map(walk => ({ ...walk, loops: walk.threads !== tile[walk.of] }));
  const indexOf = (dimension: 'm' | 'n' | 'k'): Expr => {
    const walk = walks.find(({ of }) => of === dimension);
    return walk === undefined || walk.loops ? variable(dimension) : walk.thread;
  };
  const inMatrix = (dimension: 'm' | 'n' | 'k'): Expr => {
    const index = indexOf(dimension);
    if (dimension === 'k') return add(at.k0, index);
    if (dimension === 'm') return index === name.threadRow ? name.row : add(name.blockRow, index);
    return index === name.threadCol ? name.col : add(name.blockCol, index);
  };
  const body = copy(plan, {
    operand,
    at,
    inTile: [indexOf(rowsOf), indexOf(columnsOf)],
    inMatrix: [inMatrix(rowsOf), inMatrix(columnsOf)],
  });
  return walks.toReversed().reduce<readonly Statement[]>(
    (inside, { of, thread, step, loops }) =>
      loops
        ? [
            {
              op: 'for',
              index: of,
              from: thread,
              to: constants[of],
              step,
              unroll: false,
              body: inside,
            },
          ]
        : inside,
    body,
  );
}
