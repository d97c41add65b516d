/**
 * Main loops over K. If BK does not divide K, plain loops peel the K remainder at the end.
 * Pipelines pad K with zeros in front instead, so that only the prologue is bounds-checked along K.
 */
import { add, ceilDiv, constant, div, int, min, mod, mul, sub, variable } from '../ir/expr';
import type { Condition, Expr, Statement } from '../ir/ir';
import { lanePlanIn, matrixPlanIn } from '../../plan/family';
import type { LanedPlan, PipelinedPlan, Plan } from '../../plan/plan';
import { allIndicesAdvance, advancingIndices } from './fetch';
import { BLANK, comment, declare, forLoop, onlyIf } from './loops';
import * as name from './names';
import { copiesAgain, pipelineFor } from '../../plan/steps';
import { stageWords } from './mma/fragmentStaging';
import { stageTile as stageLanes, type At } from './staging';
import { wraps } from './tileTraversal';

const STAGES = constant('STAGES');
const [t, next, tiles, kTail] = [
  variable('t'),
  variable('next'),
  variable('tiles'),
  variable('kTail'),
];

export function tileLoop(plan: Plan, body: (at: At) => readonly Statement[]): readonly Statement[] {
  const [from, end] = [name.kBegin(plan), name.kEnd(plan)];
  const whole = explained(body({ k0: name.k0, depth: name.BK, edge: 'none' }));
  if (!plan.guards.k)
    return [...clampComment(plan), forLoop('k0', end, whole, { from, step: name.BK }), BLANK];
  const rest = body({ k0: kTail, depth: sub(end, kTail), edge: 'end', once: true });
  return [
    ...clampComment(plan),
    declare('kTail', add(from, mul(div(sub(end, from), name.BK), name.BK))),
    forLoop('k0', kTail, whole, { from, step: name.BK }),
    comment(`K remainder: the last, partial ${plan.shared === undefined ? 'k-step' : 'tile'}.`),
    {
      op: 'if',
      condition: [{ left: kTail, right: end }],
      // No later tile overwrites this tile, so its last barrier is dropped.
      body: rest.at(-1)?.op === 'barrier' ? rest.slice(0, -1) : rest,
    },
    BLANK,
  ];
}

/**
 * Adds comments to the barriers of a loop body that loads tiles, reads them and overwrites them in
 * the next iteration.
 */
function explained(body: readonly Statement[]): readonly Statement[] {
  const last = body.length - 1;
  return body.flatMap((statement, i) =>
    statement.op === 'barrier'
      ? [comment(i === last ? TILES_READ : TILES_COMPLETE), statement]
      : [statement],
  );
}

const TILES_COMPLETE = 'Wait until both tiles are complete.';
const TILES_READ =
  'Wait until all threads have read the tiles; the next iteration overwrites them.';

/** Returns whether loads past an edge of C read the last row or column instead. */
export const clamps = (plan: Plan): boolean =>
  (plan.guards.m || plan.guards.n) && (lanePlanIn(plan) ?? matrixPlanIn(plan)) !== null;

/** Returns whether asynchronous copies past an edge wrap around. */
export const wrapsAny = (plan: Plan): boolean => {
  const operands = ['a', 'b'] as const;
  return isLaned(plan) && operands.some(operand => wraps(plan, operand));
};

const isLaned = (plan: Plan): plan is LanedPlan => lanePlanIn(plan) !== null;

const clampComment = (plan: Plan): readonly Statement[] =>
  clamps(plan)
    ? [
        comment(
          `Rows and columns past the edge are ${wrapsAny(plan) ? 'clamped or wrapped around' : 'clamped'}; their results are not stored.`,
        ),
      ]
    : [];

/** Emits the prologue: starts the copies of the first stages - 1 tiles, or loads the first tile. */
export function fillPipeline(plan: PipelinedPlan): readonly Statement[] {
  const { stages, copies, buffers } = pipelineFor(plan);
  const again = plan.family === 'mma' ? copiesAgain(plan) : buffers === 2;
  const fill = (k0: Expr, stage?: Expr): readonly Statement[] => {
    const tile = { depth: name.BK, ...(stage === undefined ? {} : { stage }), once: true } as const;
    const at: At = plan.guards.k
      ? { ...tile, k0, edge: 'front', begin: name.kBegin(plan), skip: variable('skip') }
      : { ...tile, k0: add(name.kBegin(plan), k0), edge: 'none' };
    return (['a', 'b'] as const).flatMap(operand => stageTile(plan, operand, at));
  };
  const commit: readonly Statement[] = copies === 'asynchronous' ? [{ op: 'commit' }] : [];
  const depth = sub(name.kEnd(plan), name.kBegin(plan));
  const counts = [
    declare('tiles', plan.guards.k ? ceilDiv(depth, name.BK) : div(depth, name.BK)),
    ...(plan.guards.k
      ? [
          comment(
            'Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.',
          ),
          declare('skip', sub(mul(tiles, name.BK), depth)),
        ]
      : []),
    BLANK,
  ];
  if (stages <= 2) {
    const first = fill(int(0), stages === 1 ? undefined : int(0));
    return [
      ...counts,
      ...clampComment(plan),
      comment('Prologue: load the first tile.'),
      ...onlyIf(hasTile(plan), first),
      ...commit,
    ];
  }
  return [
    ...counts,
    ...clampComment(plan),
    comment(
      `Prologue: start copying the first STAGES - 1 tiles, one cp.async group per tile (${again ? 'past the end of K, recopy the last tile' : 'empty past the end of K'}).`,
    ),
    forLoop(
      't',
      sub(STAGES, int(1)),
      [
        ...(again
          ? [declare('k0', mul(min(t, sub(tiles, int(1))), name.BK)), ...fill(name.k0, t)]
          : onlyIf(
              [{ left: t, right: tiles }],
              [declare('k0', mul(t, name.BK)), ...fill(name.k0, t)],
            )),
        ...commit,
      ],
      { unroll: true },
    ),
  ];
}

/**
 * Emits the main loop over all tiles; with register prefetch, over all tiles but the last. `at` is
 * the tile to multiply.
 */
export function pipelineLoop(
  plan: PipelinedPlan,
  body: (at: At) => readonly Statement[],
): readonly Statement[] {
  const { stages } = pipelineFor(plan);
  const at: At = { ...inStage(plan, variable('stage')), k0: name.k0, depth: name.BK, edge: 'none' };
  if (inRegisters(plan)) {
    const positions =
      stages === 1
        ? []
        : [declare('stage', mod(sub(t, int(1)), STAGES)), declare('into', mod(t, STAGES))];
    const advancing = plan.family === 'mma' ? [] : advancingIndices(plan, firstK(plan, int(1)));
    const stand = comment(
      "Indices of this thread's loads of the next tile; they advance in every iteration.",
    );
    return [
      BLANK,
      ...(advancing.length === 0 ? [] : [stand]),
      forLoop('t', tiles, [...positions, ...body(at)], { from: int(1), advancing }),
    ];
  }
  const positions = [
    declare('stage', mod(t, STAGES)),
    declare('next', add(t, stages === 2 ? int(1) : sub(STAGES, int(1)))),
    declare('into', mod(next, STAGES)),
  ];
  return [BLANK, forLoop('t', tiles, [...positions, ...body(at)]), BLANK];
}

const inRegisters = (plan: PipelinedPlan): boolean => pipelineFor(plan).copies === 'registers';

const inStage = (plan: PipelinedPlan, stage: Expr): Pick<At, 'stage'> =>
  pipelineFor(plan).stages === 1 ? {} : { stage };

export function lastTile(
  plan: PipelinedPlan,
  body: (at: At) => readonly Statement[],
): readonly Statement[] {
  const stage = mod(sub(tiles, int(1)), STAGES);
  const at: At = { ...inStage(plan, stage), k0: name.k0, depth: name.BK, edge: 'none', once: true };
  return [
    comment('Peeled last iteration: multiply the last tile without prefetching.'),
    ...onlyIf(hasTile(plan), body(at)),
    BLANK,
  ];
}

/**
 * Returns the condition that the thread block has a tile; a split-K slice may be empty if K is
 * smaller than planned.
 */
export const hasTile = (plan: Plan): Condition =>
  plan.split === undefined ? [] : [{ left: int(0), right: tiles }];

export const firstK = (plan: Plan, tile: Expr): Expr =>
  sub(add(name.kBegin(plan), mul(tile, name.BK)), plan.guards.k ? variable('skip') : int(0));

/**
 * Emits the prefetch of a later tile, guarded at the end of K unless tiles are prefetched into
 * registers. `at` is the tile to prefetch.
 */
export function prefetch(
  plan: PipelinedPlan,
  { label, fromMemory }: { readonly label: string; readonly fromMemory: boolean },
  body: (at: At) => readonly Statement[],
): readonly Statement[] {
  const at: At = { ...inStage(plan, variable('into')), k0: name.k0, depth: name.BK, edge: 'none' };
  const tile = inRegisters(plan) ? t : next;
  const asks =
    fromMemory && !(inRegisters(plan) && plan.family !== 'mma' && allIndicesAdvance(plan));
  const lines = [...(asks ? [declare('k0', firstK(plan, tile))] : []), ...body(at)];
  return [
    comment(label),
    ...onlyIf(inRegisters(plan) ? [] : [{ left: next, right: tiles }], lines),
  ];
}

export const stageTile = (plan: PipelinedPlan, operand: 'a' | 'b', at: At): readonly Statement[] =>
  plan.family === 'mma' ? stageWords(plan, operand, at) : stageLanes(plan, operand, at);
