/**
 * Loop over the k-steps of a tile of `mma` on CUDA, and the software pipeline that overlaps copies,
 * fragment loads and MMAs.
 */
import { add, constant, div, int, min, mod, sub, variable } from '../../ir/expr';
import type { Expr, Statement } from '../../ir/ir';
import type { MmaPlan } from '../../../plan/plan';
import { copiesAgain } from '../../../plan/steps';
import { copiesOfKStep } from './fragmentStaging';
import { multiplyTerms } from './fragmentTerms';
import { loadFragments, multiplyFragments, type KStep } from './fragmentTiles';
import { DRAIN, firstFragmentsComment, laterTileComment, nextTileComment } from '../comments';
import { BLANK, comment, declare, forLoop, onlyIf } from '../loops';
import { SHAPE } from './matrices';
import * as name from '../names';
import { firstK, hasTile } from '../pipeline';
import type { At } from '../staging';

const STAGES = constant('STAGES');
const [k, t, tiles] = [variable('k'), variable('t'), variable('tiles')];
const OPERANDS = ['a', 'b'] as const;

const load = (plan: MmaPlan, depth: KStep): readonly Statement[] =>
  OPERANDS.flatMap(operand => loadFragments(plan, operand, depth));

function multiply(plan: MmaPlan, buffer?: Expr): readonly Statement[] {
  const { fp32Emulation } = plan.fragments;
  return fp32Emulation === undefined
    ? multiplyFragments(buffer)
    : multiplyTerms(plan, fp32Emulation, buffer);
}

function productComment(plan: MmaPlan, ahead: string): Statement {
  const { warp, shape } = plan.matrix;
  const [m, n] = [warp.m / shape.m, name.computedColumns(plan, warp.n / shape.n)];
  const { fp32Emulation } = plan.fragments;
  const each =
    fp32Emulation === undefined
      ? ''
      : `, each with ${fp32Emulation.products.length} products of terms`;
  return comment(`k-step of ${shape.k}: ${m * n} MMAs per warp${each}${ahead}.`);
}

export const fragmentKSteps = (plan: MmaPlan, at: At): readonly Statement[] => [
  productComment(plan, `, on ${counted(plan)} fragments of A and B from shared memory`),
  forLoop('k', name.BK, [...load(plan, { at, depth: k }), ...multiply(plan)], {
    step: SHAPE.k,
    unroll: true,
  }),
];

function counted(plan: MmaPlan): string {
  const { warp, shape } = plan.matrix;
  return `${warp.m / shape.m} + ${name.computedColumns(plan, warp.n / shape.n)}`;
}

/**
 * Loads the fragments of the next k-step during the MMAs of the current k-step, across tile
 * boundaries too.
 */
export function fragmentPipeline(plan: MmaPlan): readonly Statement[] {
  const { stages } = plan.fragments;
  const again = copiesAgain(plan);
  const arrived: readonly Statement[] = [{ op: 'wait', pending: stages - 2 }, { op: 'barrier' }];
  const inStage = (stage: Expr): At => ({ k0: name.k0, depth: name.BK, stage, edge: 'none' });
  const first = (stage: Expr): KStep => ({
    at: { ...inStage(stage), once: true },
    depth: int(0),
    buffer: int(0),
  });
  const deeper = add(k, SHAPE.k);
  const buffer = (of: Expr): Expr => mod(div(of, SHAPE.k), int(2));
  const next = variable('next');
  const copies = OPERANDS.flatMap(operand =>
    copiesOfKStep(plan, operand, inStage(variable('into')), div(k, SHAPE.k)),
  );
  const body: readonly Statement[] = [
    declare('stage', mod(t, STAGES)),
    declare('into', mod(add(t, sub(STAGES, int(1))), STAGES)),
    comment(laterTileComment(stages, again)),
    declare('next', laterTile(again)),
    declare('k0', firstK(plan, next)),
    productComment(
      plan,
      `. Fragments are double-buffered: the ${counted(plan)} fragments of the next k-step are loaded meanwhile`,
    ),
    comment('Each k-step issues some of the copies of the prefetched tile.'),
    forLoop(
      'k',
      sub(name.BK, SHAPE.k),
      [
        ...load(plan, { at: inStage(variable('stage')), depth: deeper, buffer: buffer(deeper) }),
        ...onlyIf(again ? [] : [{ left: next, right: tiles }], copies),
        ...multiply(plan, buffer(k)),
      ],
      { step: SHAPE.k, unroll: true },
    ),
    { op: 'commit' },
    comment(nextTileComment(stages)),
    ...arrived,
    comment(
      'Peeled last k-step: load the first fragments of the next tile, then multiply fragment buffer 1.',
    ),
    ...onlyIf(
      again ? [] : [{ left: add(t, int(1)), right: tiles }],
      load(plan, first(mod(add(t, int(1)), STAGES))),
    ),
    ...multiply(plan, int(1)),
  ];
  return [
    comment(firstFragmentsComment(stages)),
    ...arrived,
    ...onlyIf(hasTile(plan), load(plan, first(int(0)))),
    BLANK,
    forLoop('t', tiles, body),
    ...(again ? [comment(DRAIN), { op: 'wait', pending: 0 } as const] : []),
    BLANK,
  ];
}

const laterTile = (again: boolean): Expr => {
  const later = add(t, sub(STAGES, int(1)));
  return again ? min(later, sub(tiles, int(1))) : later;
};
