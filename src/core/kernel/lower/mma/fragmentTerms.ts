/**
 * FP32 emulation with `mma`: a lane splits loaded elements into terms in registers and accumulates
 * the products of terms, smallest first (plan/fp32Emulation.ts). Each k-step starts with zeroed
 * accumulators, because tensor cores truncate where f32 addition rounds.
 */
import { constant, int, variable } from '../../ir/expr';
import type { Expr, RegisterElement, Statement } from '../../ir/ir';
import { termsPerWord } from '../../../plan/mma/fragmentPositions';
import type { MmaPlan, Fp32Emulation } from '../../../plan/plan';
import { elementsPerLane, matrixAt, accumulatorAt, ACCUMULATORS_PER_MMA } from './fragmentTiles';
import { comment, forLoop } from '../loops';
import { MATRICES } from './matrices';
import { assign } from '../staging';

type Operand = 'a' | 'b';

const [i, m, n, p] = [variable('i'), variable('m'), variable('n'), variable('p')];
const TERMS = constant('TERMS');
const TERM_NAMES = { a: 'termsA', b: 'termsB' } as const;
const unroll = true;

const register = (of: string, ...index: readonly Expr[]): RegisterElement => ({
  op: 'register',
  name: of,
  index,
});

/**
 * Multiplies split fragments. The fragments of B are split first, the fragments of A one row of
 * MMAs at a time.
 */
export function multiplyTerms(
  plan: MmaPlan,
  emulation: Fp32Emulation,
  buffer?: Expr,
): readonly Statement[] {
  const declared = (operand: Operand): Statement => ({
    op: 'registers',
    name: TERM_NAMES[operand],
    dtype: emulation.dtype,
    shape: [...(operand === 'a' ? [] : [MATRICES.n]), TERMS, int(elementsPerLane(plan, operand))],
    zeroed: false,
    packed: true,
  });
  const part = register('partial', int(0));
  const products = emulation.products.map(([left, right]): Statement => ({
    op: 'multiplyFragments',
    place: part,
    left: register(TERM_NAMES.a, int(left), int(0)),
    right: register(TERM_NAMES.b, n, int(right), int(0)),
  }));
  const sum = accumulatorAt(m, n, i);
  return [
    comment(
      'Split the fragments into terms; their products are accumulated per k-step, then promoted to f32.',
    ),
    declared('b'),
    forLoop('n', MATRICES.n, split(plan, emulation, { operand: 'b', of: [n], buffer }), { unroll }),
    forLoop(
      'm',
      MATRICES.m,
      [
        declared('a'),
        ...split(plan, emulation, { operand: 'a', of: [], buffer }),
        forLoop(
          'n',
          MATRICES.n,
          [
            {
              op: 'registers',
              name: 'partial',
              dtype: plan.accumulator,
              shape: [int(ACCUMULATORS_PER_MMA)],
              zeroed: true,
            },
            ...products,
            forLoop(
              'i',
              int(ACCUMULATORS_PER_MMA),
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

function split(
  plan: MmaPlan,
  emulation: Fp32Emulation,
  {
    operand,
    of,
    buffer,
  }: { readonly operand: Operand; readonly of: readonly Expr[]; readonly buffer: Expr | undefined },
): readonly Statement[] {
  const index = operand === 'a' ? m : n;
  const taken: Statement = {
    op: 'takePiece',
    place: register(TERM_NAMES[operand], ...of, p, i),
    rest: matrixAt(operand, index, buffer, i),
  };
  const step = int(termsPerWord(emulation));
  return [
    forLoop('i', int(elementsPerLane(plan, operand)), [forLoop('p', TERMS, [taken], { unroll })], {
      step,
      unroll,
    }),
  ];
}
