/**
 * Software pipeline that overlaps copies, fragment loads and FMAs. During the FMAs of a k-step,
 * it loads the fragments of the next k-step, across tile boundaries too. It also issues part of the
 * copies of a later tile.
 */
import { add, constant, int, min, mod, mul, sub, variable } from '../ir/expr';
import type { Expr, Statement } from '../ir/ir';
import type { LanedPlan } from '../../plan/plan';
import { loadLaneFragment, multiplyLanes } from './mma/fragments';
import { DRAIN, firstFragmentsComment, laterTileComment, nextTileComment } from './comments';
import { BLANK, comment, declare, forLoop, onlyIf } from './loops';
import * as name from './names';
import { copiesOfK, type At } from './staging';

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
  const { m } = plan.thread;
  const n = name.computedColumns(plan, plan.thread.n);
  const body: readonly Statement[] = [
    declare('stage', mod(t, STAGES)),
    declare('into', mod(add(t, sub(STAGES, int(1))), STAGES)),
    comment(laterTileComment(plan.lanes.stages, true)),
    declare('later', min(add(t, sub(STAGES, int(1))), sub(tiles, int(1)))),
    declare('k0', firstK(plan, variable('later'))),
    comment(
      `Fragments are double-buffered by the parity of k: ${m * n} FMAs per k overlap with the ${m} + ${n} loads of the next k.`,
    ),
    forLoop(
      'k',
      last,
      [
        ...fragments(inStage(variable('stage')), following, mod(following, int(2))),
        ...OPERANDS.flatMap(operand => copiesOfK(plan, operand, inStage(variable('into')), k)),
        ...multiplyLanes(plan, { depth: k, buffer: mod(k, int(2)) }),
      ],
      { unroll: true },
    ),
    { op: 'commit' },
    comment(nextTileComment(plan.lanes.stages)),
    ...arrived,
    ...fragments(inStage(variable('following')), int(0), int(0)),
    ...multiplyLanes(plan, { depth: last, buffer: int(1) }),
  ];
  const loop = [declare('following', mod(add(t, int(1)), STAGES)), ...body];
  return [
    comment(firstFragmentsComment(plan.lanes.stages)),
    ...onlyIf(plan.split === undefined ? [] : [{ left: int(0), right: tiles }], first),
    BLANK,
    forLoop('t', tiles, loop),
    comment(DRAIN),
    { op: 'wait', pending: 0 },
    BLANK,
  ];
}

/** Returns the first k of a tile other than the first; only the first tile is padded with zeros. */
function firstK(plan: LanedPlan, tile: Expr): Expr {
  const inPart = add(name.kBegin(plan), mul(tile, name.BK));
  return sub(inPart, plan.guards.k ? variable('skip') : int(0));
}
