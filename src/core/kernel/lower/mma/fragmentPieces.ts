/**
 * `mma` of f32 by splitting: what a lane has loaded becomes pieces in its registers, and their products are summed, the
 * smallest first (plan/pieces.ts). Tensor cores sum a depth from zero, since they cut off what f32 would round.
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
const PIECES = constant('PIECES');
const PIECE = { a: 'pieceA', b: 'pieceB' } as const;
const unroll = true;

const register = (of: string, ...index: readonly Expr[]): RegisterElement => ({
  op: 'register',
  name: of,
  index,
});

/** Those of B for all matrices, those of A for a row of them at a time. */
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
  const part = register('part', int(0));
  const products = pieces.products.map(([left, right]): Statement => ({
    op: 'multiplyFragments',
    place: part,
    left: register(PIECE.a, int(left), int(0)),
    right: register(PIECE.b, n, int(right), int(0)),
  }));
  const sum = sumAt(m, n, i);
  return [
    comment('What was loaded becomes pieces, whose products are summed for these depths alone.'),
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
              name: 'part',
              dtype: plan.accumulator,
              shape: [int(SUMS)],
              zeroed: true,
            },
            ...products,
            forLoop(
              'i',
              int(SUMS),
              [assign(sum, { op: 'add', left: sum, right: register('part', i) })],
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

/** All that a lane has of a matrix, a word of pieces after the other. */
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
