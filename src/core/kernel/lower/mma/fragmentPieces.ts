/**
 * FP32 emulation with `mma`: a lane splits loaded elements into terms in registers and accumulates their products,
 * smallest first (plan/pieces.ts). Each k-step accumulates from zero, since tensor cores truncate where f32 rounds.
 */
import { constant, int, variable } from '../../ir/expr';
import type { Expr, RegisterElement, Statement } from '../../ir/ir';
import { inWordOf } from '../../../plan/mma/fragmentPlaces';
import type { MmaPlan, PiecesPlan } from '../../../plan/plan';
import { held, matrixAt, sumAt, SUMS } from './fragmentTiles';
import { comment, forLoop } from '../loops';
import { MATRICES } from './matrices';
import { assign } from '../staging';

type Operand = 'a' | 'b';

const [i, m, n, p] = [variable('i'), variable('m'), variable('n'), variable('p')];
const PIECES = constant('TERMS');
const PIECE = { a: 'termsA', b: 'termsB' } as const;
const unroll = true;

const register = (of: string, ...index: readonly Expr[]): RegisterElement => ({
  op: 'register',
  name: of,
  index,
});

/** Splits all fragments of B in advance, and those of A one row at a time. */
export function multiplyPieces(
  plan: MmaPlan,
  pieces: PiecesPlan,
  buffer?: Expr,
): readonly Statement[] {
  const declared = (operand: Operand): Statement => ({
    op: 'registers',
    name: PIECE[operand],
    dtype: pieces.dtype,
    shape: [...(operand === 'a' ? [] : [MATRICES.n]), PIECES, int(held(plan, operand))],
    zeroed: false,
    packed: true,
  });
  const part = register('partial', int(0));
  const products = pieces.products.map(([left, right]): Statement => ({
    op: 'multiplyFragments',
    place: part,
    left: register(PIECE.a, int(left), int(0)),
    right: register(PIECE.b, n, int(right), int(0)),
  }));
  const sum = sumAt(m, n, i);
  return [
    comment(
      'Split the fragments into terms; their products are accumulated per k-step, then promoted to f32.',
    ),
    declared('b'),
    forLoop('n', MATRICES.n, split(plan, pieces, { operand: 'b', of: [n], buffer }), { unroll }),
    forLoop(
      'm',
      MATRICES.m,
      [
        declared('a'),
        ...split(plan, pieces, { operand: 'a', of: [], buffer }),
        forLoop(
          'n',
          MATRICES.n,
          [
            {
              op: 'registers',
              name: 'partial',
              dtype: plan.accumulator,
              shape: [int(SUMS)],
              zeroed: true,
            },
            ...products,
            forLoop(
              'i',
              int(SUMS),
              [assign(sum, { op: 'add', left: sum, right: register('partial', i) })],
              {
                unroll,
              },
            ),
          ],
          { unroll },
        ),
      ],
      { unroll },
    ),
  ];
}

/** Splits a lane's fragment into terms, word by word. */
function split(
  plan: MmaPlan,
  pieces: PiecesPlan,
  {
    operand,
    of,
    buffer,
  }: { readonly operand: Operand; readonly of: readonly Expr[]; readonly buffer: Expr | undefined },
): readonly Statement[] {
  const index = operand === 'a' ? m : n;
  const taken: Statement = {
    op: 'takePiece',
    place: register(PIECE[operand], ...of, p, i),
    rest: matrixAt(operand, index, buffer, i),
  };
  const step = int(inWordOf(pieces));
  return [
    forLoop('i', int(held(plan, operand)), [forLoop('p', PIECES, [taken], { unroll })], {
      step,
      unroll,
    }),
  ];
}
