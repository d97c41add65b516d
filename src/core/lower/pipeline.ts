/**
 * Loops over K from `vectorized` on. Where BK does not divide K, the rest is a loop's last iteration of its own;
 * a pipeline counts zeros in front of K instead, so that only the tiles that fill it are tested.
 */
import { add, ceilDiv, constant, div, int, mod, mul, sub, variable } from '../ir/expr';
import type { Expr, Statement } from '../ir/ir';
import type { Plan } from '../plan/plan';
import { lanesOf } from './lanes';
import { BLANK, comment, declare, forLoop } from './loops';
import * as name from './names';
import { stageTile, type At } from './staging';

const STAGES = constant('STAGES');
const [t, next, tiles, kTail] = [
  variable('t'),
  variable('next'),
  variable('tiles'),
  variable('kTail'),
];

/** One staged tile at a time; what is left of K comes after the main loop. */
export function tileLoop(plan: Plan, body: (at: At) => readonly Statement[]): readonly Statement[] {
  const whole = body({ k0: name.k0, depth: name.BK, edge: 'none' });
  if (!plan.guards.k) return [forLoop('k0', name.K, whole, { step: name.BK }), BLANK];
  const rest = body({ k0: kTail, depth: sub(name.K, kTail), edge: 'end', once: true });
  return [
    declare('kTail', mul(div(name.K, name.BK), name.BK)),
    forLoop('k0', kTail, whole, { step: name.BK }),
    comment('What is left of K, less than a tile.'),
    {
      op: 'if',
      condition: [{ left: kTail, right: name.K }],
      // Nobody replaces the tile after this.
      body: rest.at(-1)?.op === 'barrier' ? rest.slice(0, -1) : rest,
    },
    BLANK,
  ];
}

/** How many zeros stand in front of K; none where the tiles divide it. */
const skipOf = (plan: Plan): { readonly skip?: Expr } =>
  plan.guards.k ? { skip: variable('skip') } : {};

/** The first tiles, one less than there are stages: each a group of asynchronous copies, or loaded at once. */
export function fillPipeline(plan: Plan): readonly Statement[] {
  const { stages, copies } = lanesOf(plan);
  const fill = (k0: Expr, stage: Expr): readonly Statement[] => {
    const edge = plan.guards.k ? 'front' : 'none';
    const at: At = { k0, depth: name.BK, stage, edge, once: true, ...skipOf(plan) };
    return (['a', 'b'] as const).flatMap(operand => stageTile(plan, operand, at));
  };
  const commit: readonly Statement[] = copies === 'asynchronous' ? [{ op: 'commit' }] : [];
  const counts = [
    declare('tiles', plan.guards.k ? ceilDiv(name.K, name.BK) : div(name.K, name.BK)),
    ...(plan.guards.k
      ? [
          comment('The first tile is filled up with zeros in front, so that all others are whole.'),
          declare('skip', sub(mul(tiles, name.BK), name.K)),
        ]
      : []),
    BLANK,
  ];
  if (stages === 2)
    return [...counts, comment('The first tile.'), ...fill(int(0), int(0)), ...commit];
  return [
    ...counts,
    comment(
      'The first tiles, one less than there are stages: a group of copies each, empty past the last.',
    ),
    forLoop(
      't',
      sub(STAGES, int(1)),
      [
        {
          ...{ op: 'if', condition: [{ left: t, right: tiles }] },
          body: [declare('k0', mul(t, name.BK)), ...fill(name.k0, t)],
        },
        ...commit,
      ],
      { unroll: true },
    ),
  ];
}

/** All tiles; `at` is the one that is multiplied. */
export function pipelineLoop(
  plan: Plan,
  body: (at: At) => readonly Statement[],
): readonly Statement[] {
  const { stages } = lanesOf(plan);
  const positions = [
    declare('stage', mod(t, STAGES)),
    declare('next', add(t, stages === 2 ? int(1) : sub(STAGES, int(1)))),
    declare('into', mod(next, STAGES)),
  ];
  const at: At = { k0: name.k0, depth: name.BK, stage: variable('stage'), edge: 'none' };
  return [BLANK, forLoop('t', tiles, [...positions, ...body(at)]), BLANK];
}

/** What is done for the tile that comes next, if there is one: `at` is that tile. */
export function ahead(
  plan: Plan,
  { label, fromMemory }: { readonly label: string; readonly fromMemory: boolean },
  body: (at: At) => readonly Statement[],
): readonly Statement[] {
  const at: At = { k0: name.k0, depth: name.BK, stage: variable('into'), edge: 'none' };
  const first = sub(mul(next, name.BK), plan.guards.k ? variable('skip') : int(0));
  return [
    comment(label),
    {
      ...{ op: 'if', condition: [{ left: next, right: tiles }] },
      body: [...(fromMemory ? [declare('k0', first)] : []), ...body(at)],
    },
  ];
}
