/** `mma` of CUDA: the loop over the depths of a tile, and the pipeline in which copies, loads and products overlap. */
import { add, constant, div, int, min, mod, sub, variable } from '../../ir/expr';
import type { Expr, Statement } from '../../ir/ir';
import type { MmaPlan } from '../../../plan/plan';
import { copiesAgain } from '../../../plan/steps';
import { shareOfWords } from './fragmentStaging';
import { multiplyPieces } from './fragmentPieces';
import { loadFragments, multiplyFragments, type Depth } from './fragmentTiles';
import { BLANK, comment, declare, forLoop, onlyIf } from '../loops';
import { SHAPE } from './matrices';
import * as name from '../names';
import { firstDepth, someTile } from '../pipeline';
import type { At } from '../staging';

const STAGES = constant('STAGES');
const [k, t, tiles] = [variable('k'), variable('t'), variable('tiles')];
const OPERANDS = ['a', 'b'] as const;

const load = (plan: MmaPlan, depth: Depth): readonly Statement[] =>
  OPERANDS.flatMap(operand => loadFragments(plan, operand, depth));

function multiply(plan: MmaPlan, buffer?: Expr): readonly Statement[] {
  const { pieces } = plan.fragments;
  return pieces === undefined ? multiplyFragments(buffer) : multiplyPieces(plan, pieces, buffer);
}

/** What a warp does at each depth of a tile. */
function productComment(plan: MmaPlan, ahead: string): Statement {
  const { warp, shape } = plan.matrix;
  const [m, n] = [warp.m / shape.m, warp.n / shape.n];
  const { pieces } = plan.fragments;
  const each = pieces === undefined ? '' : `, each ${pieces.products.length} of pieces`;
  return comment(`${shape.k} depths: ${m * n} products of matrices a warp${each}${ahead}.`);
}

/** Over the depths of a tile: its fragments, then their products. */
export const fragmentDepths = (plan: MmaPlan, at: At): readonly Statement[] => [
  productComment(plan, `, from ${counted(plan)} matrices in shared memory`),
  forLoop('k', name.BK, [...load(plan, { at, depth: k }), ...multiply(plan)], {
    step: SHAPE.k,
    unroll: true,
  }),
];

function counted(plan: MmaPlan): string {
  const { warp, shape } = plan.matrix;
  return `${warp.m / shape.m} + ${warp.n / shape.n}`;
}

/** While a depth is multiplied, the fragments of the next are loaded, over the border of the tile too. */
export function fragmentPipeline(plan: MmaPlan): readonly Statement[] {
  const { stages } = plan.fragments;
  const again = copiesAgain(plan);
  const arrived: readonly Statement[] = [{ op: 'wait', pending: stages - 2 }, { op: 'barrier' }];
  const inStage = (stage: Expr): At => ({ k0: name.k0, depth: name.BK, stage, edge: 'none' });
  /** The same accesses as in the loop over the depths, which stand there again. */
  const first = (stage: Expr): Depth => ({
    at: { ...inStage(stage), once: true },
    depth: int(0),
    buffer: int(0),
  });
  const deeper = add(k, SHAPE.k);
  const buffer = (of: Expr): Expr => mod(div(of, SHAPE.k), int(2));
  const next = variable('next');
  const copies = OPERANDS.flatMap(operand =>
    shareOfWords(plan, operand, inStage(variable('into')), div(k, SHAPE.k)),
  );
  const body: readonly Statement[] = [
    declare('stage', mod(t, STAGES)),
    declare('into', mod(add(t, sub(STAGES, int(1))), STAGES)),
    comment(
      `A later tile, into the stage that was multiplied last${again ? '; past the end the last one again' : ''}.`,
    ),
    declare('next', laterTile(again)),
    declare('k0', firstDepth(plan, next)),
    productComment(plan, `, while the ${counted(plan)} matrices of the next are loaded`),
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
    comment('The next tile has arrived, and nobody reads the stage that is filled next.'),
    ...arrived,
    ...onlyIf(
      again ? [] : [{ left: add(t, int(1)), right: tiles }],
      load(plan, first(mod(add(t, int(1)), STAGES))),
    ),
    ...multiply(plan, int(1)),
  ];
  return [
    comment('The first fragments, once the first tile has arrived.'),
    ...arrived,
    ...onlyIf(someTile(plan), load(plan, first(int(0)))),
    BLANK,
    forLoop('t', tiles, body),
    ...(again
      ? [
          comment('Copies past the end arrive before shared memory is given back.'),
          { op: 'wait', pending: 0 } as const,
        ]
      : []),
    BLANK,
  ];
}

const laterTile = (again: boolean): Expr => {
  const later = add(t, sub(STAGES, int(1)));
  return again ? min(later, sub(tiles, int(1))) : later;
};
