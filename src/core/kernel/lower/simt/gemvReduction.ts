/**
 * Reduction of the partial results of `gemv`, and epilogue. The lanes along K of a warp are reduced
 * by butterfly shuffles. Partial results of several warps, or of all threads in WGSL, are then
 * added in shared memory in ascending order.
 */
import { add, constant, div, int, mod, mul, threadIdx, variable } from '../../ir/expr';
import type { Expr, RegisterElement, SharedArray, SharedElement, Statement } from '../../ir/ir';
import { epilogue } from '../epilogue';
import { BLANK, comment, declare, forLoop, onlyIf } from '../loops';
import { accumulatorOrder, unrolled } from '../mma/fragments';
import { SCRATCH } from '../mma/matrices';
import * as name from '../names';
import { assign } from '../staging';
import { storeComment } from '../store';
import { threadK, type GemvKernel } from './gemv';
import { LANES, offsetOf } from './lanes';
import { storeLanes } from './storeLanes';

const EXTENT = { m: name.TM, n: name.TN } as const;
const LANES_K = constant('LANES_K');
const PARTIALS = constant('PARTIALS');
const [m, n] = [variable('m'), variable('n')];

/** Shared memory for the partial results: BM rows of BN columns per partial result. */
export const partialResults = (plan: GemvKernel): readonly SharedArray[] =>
  plan.lanes.gemv.partials === 1
    ? []
    : [
        {
          name: SCRATCH,
          dtype: plan.accumulator,
          outer: mul(PARTIALS, name.BM),
          inner: name.BN,
        },
      ];

export function reduceThreads(plan: GemvKernel): readonly Statement[] {
  const { lanesK, partials } = plan.lanes.gemv;
  return [
    ...(lanesK === 1 ? [] : [...shuffles(plan), BLANK]),
    ...(partials === 1 ? storeFirst(plan) : throughShared(plan)),
  ];
}

/** Adds the partial results of the lanes along K, in pairs. All lanes then hold the same sum. */
function shuffles(plan: GemvKernel): readonly Statement[] {
  const { isAlongK, lanesK } = plan.lanes.gemv;
  const [outer, inner] = accumulatorOrder(plan);
  const unroll = unrolled(plan);
  const sum = accumulator(plan);
  const step = variable('step');
  const mask: Expr = {
    op: '<<',
    left: isAlongK ? int(1) : LANES.n,
    right: step,
  };
  const body = [
    assign(sum, { op: 'add', left: sum, right: { op: 'shuffleXor', value: sum, mask } }),
  ];
  const each = forLoop(outer, EXTENT[outer], [forLoop(inner, EXTENT[inner], body, { unroll })], {
    unroll,
  });
  return [
    comment(`Warp reduction: ${lanesK} lanes along K exchange their partial results in pairs.`),
    forLoop('step', int(Math.log2(lanesK)), [each], { unroll }),
  ];
}

const accumulator = (plan: GemvKernel): RegisterElement => ({
  op: 'register',
  name: name.ACCUMULATOR,
  index: accumulatorOrder(plan).map(variable),
});

/** Stores the accumulators of the first thread along K, which holds the whole sums. */
const storeFirst = (plan: GemvKernel): readonly Statement[] =>
  plan.lanes.gemv.threads.k === 1
    ? storeLanes(plan)
    : [
        comment('All lanes along K hold the same sums; the first one writes them.'),
        ...onlyIf([{ left: threadK, right: int(1) }], storeLanes(plan)),
      ];

/** Adds the partial results in shared memory, and stores one element of C per thread at a time. */
function throughShared(plan: GemvKernel): readonly Statement[] {
  const { lanesK } = plan.lanes.gemv;
  const [outer, inner] = accumulatorOrder(plan);
  const unroll = unrolled(plan);
  const column = add(name.threadCol, offsetOf(plan, 'n', n, 1));
  const partial = lanesK === 1 ? threadK : div(threadK, LANES_K);
  const store = forLoop(
    outer,
    EXTENT[outer],
    [
      forLoop(
        inner,
        EXTENT[inner],
        [assign(inScratch('Cs store', add(mul(partial, name.BM), m), column), accumulator(plan))],
        { unroll },
      ),
    ],
    { unroll },
  );
  const isFirst = [{ left: mod(threadK, LANES_K), right: int(1) }];
  return [
    comment('Store the partial results to shared memory, and wait until all of them are complete.'),
    ...onlyIf(lanesK === 1 ? [] : isFirst, [store]),
    { op: 'barrier' },
    BLANK,
    sumComment(plan),
    forLoop('e', mul(name.BM, name.BN), sumOf(plan), { from: threadIdx('x'), step: name.THREADS }),
  ];
}

function sumComment(plan: GemvKernel): Statement {
  if (plan.split?.reduction === 'atomic') return storeComment(plan, 1);
  const where = plan.split === undefined ? 'C' : 'the workspace';
  return comment(
    `Epilogue: add the partial results in ascending order, and write the results to ${where}.`,
  );
}

function sumOf(plan: GemvKernel): readonly Statement[] {
  const [e, p] = [variable('e'), variable('p')];
  const [inRow, inColumn] = [div(e, name.BN), mod(e, name.BN)];
  const [row, column] = [variable('r'), variable('c')];
  const { place, atomic, old, value, stored } = epilogue(plan, { row, column });
  const sum: RegisterElement = { op: 'register', name: 'sum', index: [] };
  const more = inScratch('Cs load', add(mul(p, name.BM), inRow), inColumn);
  return [
    declare('r', add(name.blockRow, inRow)),
    declare('c', add(name.blockCol, inColumn)),
    ...onlyIf(name.inside(plan, 'c', row, column), [
      { op: 'registers', name: 'sum', dtype: plan.accumulator, shape: [], zeroed: false },
      assign(sum, inScratch('Cs load', inRow, inColumn)),
      forLoop('p', PARTIALS, [assign(sum, { op: 'add', left: sum, right: more })], {
        from: int(1),
        unroll: plan.target === 'cuda',
      }),
      {
        op: 'assign',
        place,
        value: stored(value(sum, old)),
        ...(atomic ? { atomic } : {}),
      },
    ]),
  ];
}

const inScratch = (site: string, outer: Expr, inner: Expr): SharedElement => ({
  op: 'shared',
  site: { name: site, operand: 'c', once: true },
  array: SCRATCH,
  outer,
  inner,
});
