/**
 * A pipeline in which copies, loads of fragments and multiply-adds overlap: while one depth is multiplied, the
 * fragments of the next are loaded, over the border of the tile too, and a share of a later tile is copied.
 */
import { add, constant, int, min, mod, mul, sub, variable } from '../ir/expr';
import type { Expr, Statement } from '../ir/ir';
import type { LanedPlan } from '../../plan/plan';
import { loadLaneFragment, multiplyLanes } from './mma/fragments';
import { BLANK, comment, declare, forLoop, onlyIf } from './loops';
import * as name from './names';
import { copyShare, type At } from './staging';

const STAGES = constant('STAGES');
const [k, t, tiles] = [variable('k'), variable('t'), variable('tiles')];
const OPERANDS = ['a', 'b'] as const;

export function overlappedLoop(plan: LanedPlan): readonly Statement[] {
  const last = sub(name.BK, int(1));
  const arrived: readonly Statement[] = [
    { op: 'wait', pending: plan.lanes.stages - 2 },
    { op: 'barrier' },
  ];
  const fragments = (at: At, depth: Expr, buffer: Expr): readonly Statement[] =>
    OPERANDS.flatMap(operand => loadLaneFragment(plan, operand, at, { depth, buffer }));
  const inStage = (stage: Expr): At => ({
    k0: name.k0,
    depth: name.BK,
    stage,
    edge: 'none',
  });
  const first = [...arrived, ...fragments({ ...inStage(int(0)), once: true }, int(0), int(0))];
  const following = add(k, int(1));
  const { m, n } = plan.thread;
  const body: readonly Statement[] = [
    declare('stage', mod(t, STAGES)),
    declare('into', mod(add(t, sub(STAGES, int(1))), STAGES)),
    comment(
      'A later tile, into the stage that was multiplied last; past the end the last one again.',
    ),
    declare('later', min(add(t, sub(STAGES, int(1))), sub(tiles, int(1)))),
    declare('k0', firstDepth(plan, variable('later'))),
    comment(`A step of k: ${m * n} multiply-adds, while the next ${m} + ${n} values are loaded.`),
    forLoop(
      'k',
      last,
      [
        ...fragments(inStage(variable('stage')), following, mod(following, int(2))),
        ...OPERANDS.flatMap(operand => copyShare(plan, operand, inStage(variable('into')), k)),
        ...multiplyLanes(plan, { depth: k, buffer: mod(k, int(2)) }),
      ],
      { unroll: true },
    ),
    { op: 'commit' },
    comment('The next tile has arrived, and nobody reads the stage that is filled next.'),
    ...arrived,
    ...fragments(inStage(variable('following')), int(0), int(0)),
    ...multiplyLanes(plan, { depth: last, buffer: int(1) }),
  ];
  const loop = [declare('following', mod(add(t, int(1)), STAGES)), ...body];
  return [
    comment('The first fragments, once the first tile has arrived.'),
    ...onlyIf(plan.split === undefined ? [] : [{ left: int(0), right: tiles }], first),
    BLANK,
    forLoop('t', tiles, loop),
    comment('Copies past the end arrive before shared memory is given back.'),
    { op: 'wait', pending: 0 },
    BLANK,
  ];
}

/** Of a tile past the first, which alone has zeros in front. */
function firstDepth(plan: LanedPlan, tile: Expr): Expr {
  const inPart = add(name.kBegin(plan), mul(tile, name.BK));
  return sub(inPart, plan.guards.k ? variable('skip') : int(0));
}
