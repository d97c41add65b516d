/** Kinds of seeded bugs. Each kind is seeded at every matching position of a kernel. */
import {
  add,
  blockIdx,
  constant,
  div,
  int,
  mul,
  sub,
  variable,
} from '../../src/core/kernel/ir/expr';
import type { Expr, Statement, Value } from '../../src/core/kernel/ir/ir';
import { inValues, withoutRight, type Change } from './rewrite';

export interface Kind {
  readonly name: string;
  readonly change: Change;
}

const without =
  (op: Statement['op']): Change =>
  statement =>
    statement.op === op ? [] : undefined;

const isDepth = (statement: Statement): boolean =>
  statement.op === 'for' && statement.index === 'k';

const inLet =
  (name: string, change: (value: Expr) => Expr | undefined): Change =>
  s => {
    const value = s.op === 'let' && s.name === name ? change(s.value) : undefined;
    return s.op === 'let' && value !== undefined ? [{ ...s, value }] : undefined;
  };

const names = (expr: Expr, name: string): boolean =>
  'left' in expr
    ? names(expr.left, name) || names(expr.right, name)
    : expr.op === 'variable' && expr.name === name;

const isTail = (s: Statement): boolean =>
  s.op === 'if' && s.condition.some(({ left }) => left.op === 'variable' && left.name === 'kTail');

const overParts = (s: Statement): boolean => s.op === 'for' && s.index === 's';

const TAIL_KINDS: readonly Kind[] = [
  { name: 'K remainder skipped', change: s => (isTail(s) ? [] : undefined) },
  {
    name: 'K remainder multiplied as a full tile',
    change: s =>
      isDepth(s) && s.op === 'for' && names(s.to, 'kTail')
        ? [{ ...s, to: constant('BK') }]
        : undefined,
  },
  {
    name: 'main loop one tile too long',
    change: inLet('kTail', value => add(value, constant('BK'))),
  },
];

const SPLIT_KINDS: readonly Kind[] = [
  { name: 'slices start one k late', change: inLet('kBegin', value => add(value, int(1))) },
  { name: 'slices end one k late', change: inLet('kEnd', value => add(value, int(1))) },
  {
    name: 'last slice not clamped to K',
    change: inLet('kEnd', value => withoutRight(value, 'min')),
  },
  {
    name: 'slices rounded down to whole tiles',
    change: inLet('kSlice', value => {
      if (value.op !== '*' || value.left.op !== '/') return undefined;
      const { left: rounded, right: step } = value.left;
      return rounded.op === '-' && rounded.left.op === '+'
        ? mul(div(rounded.left.left, step), value.right)
        : undefined;
    }),
  },
  { name: 'every slice accumulates the first slice', change: inLet('slice', () => int(0)) },
  {
    name: 'first slice missing from the reduction',
    change: s => (overParts(s) && s.op === 'for' ? [{ ...s, from: int(1) }] : undefined),
  },
  {
    name: 'last slice missing from the reduction',
    change: s => (overParts(s) && s.op === 'for' ? [{ ...s, to: sub(s.to, int(1)) }] : undefined),
  },
  {
    name: 'all slices stored in the workspace of the first slice',
    change: inValues(value =>
      value.op === 'global' && value.site.name === 'workspace store' && value.outer.op === '+'
        ? { ...value, outer: value.outer.right }
        : undefined,
    ),
  },
  {
    name: 'stored instead of added atomically',
    change: s => {
      if (s.op !== 'assign' || s.atomic !== true) return undefined;
      const { op, place, value, width } = s;
      return [{ op, place, value, ...(width === undefined ? {} : { width }) }];
    },
  },
];

const BATCH_KINDS: readonly Kind[] = [
  {
    name: 'batch stride off by one',
    change: inValues(value =>
      value.op === 'global' && value.offset !== undefined
        ? { ...value, offset: add(value.offset, blockIdx('z')) }
        : undefined,
    ),
  },
  {
    name: 'batch stride of another matrix',
    change: inValues(value => {
      if (value.op !== 'global' || value.offset === undefined) return undefined;
      return { ...value, offset: variable(value.site.operand === 'a' ? 'offsetB' : 'offsetA') };
    }),
  },
];

export const KINDS: readonly Kind[] = [
  ...TAIL_KINDS,
  ...SPLIT_KINDS,
  ...BATCH_KINDS,
  { name: 'barrier omitted', change: without('barrier') },
  { name: 'wait omitted', change: without('wait') },
  {
    name: 'wait that leaves one group too many pending',
    change: s => (s.op === 'wait' ? [{ ...s, pending: s.pending + 1 }] : undefined),
  },
  { name: 'commit omitted', change: without('commit') },
  {
    name: 'barrier that only some threads reach',
    change: s =>
      s.op === 'barrier'
        ? [
            {
              op: 'if',
              condition: [{ left: { op: 'threadIdx', axis: 'x' }, right: int(3) }],
              body: [s],
            },
          ]
        : undefined,
  },
  { name: 'guard omitted', change: s => (s.op === 'if' ? s.body : undefined) },
  {
    name: 'guard off by one',
    change: s =>
      s.op === 'if'
        ? [{ ...s, condition: s.condition.map(t => ({ ...t, right: add(t.right, int(1)) })) }]
        : undefined,
  },
  {
    name: 'guard of a value omitted',
    change: inValues(value => (value.op === 'guarded' ? value.value : undefined)),
  },
  {
    name: 'clamp to the boundary omitted',
    change: inValues(value => {
      if (value.op !== 'global') return undefined;
      const [outer, inner] = [withoutRight(value.outer, 'min'), withoutRight(value.inner, 'min')];
      if (outer === undefined && inner === undefined) return undefined;
      return { ...value, outer: outer ?? value.outer, inner: inner ?? value.inner };
    }),
  },
  {
    name: 'wrap at the boundary omitted',
    change: s =>
      s.op === 'let' && s.value.op === 'select' ? [{ ...s, value: s.value.value }] : undefined,
  },
  {
    name: 'wrong stride',
    change: inValues(value =>
      value.op === 'global' ? { ...value, stride: add(value.stride, int(1)) } : undefined,
    ),
  },
  {
    name: 'swizzle on one side only',
    change: inValues(value => {
      const inner = value.op === 'shared' ? withoutRight(value.inner, '^') : undefined;
      return value.op === 'shared' && inner !== undefined ? { ...value, inner } : undefined;
    }),
  },
  {
    name: 'shared tile read or written transposed',
    change: inValues(value =>
      value.op === 'shared' ? { ...value, outer: value.inner, inner: value.outer } : undefined,
    ),
  },
  {
    name: 'misaligned vector',
    change: s =>
      s.op === 'assign' && (s.width ?? 1) > 1 && s.value.op === 'shared'
        ? [{ ...s, value: { ...s.value, inner: add(s.value.inner, int(1)) } }]
        : undefined,
  },
  {
    name: 'pipeline stage not advanced',
    change: inValues(value =>
      value.op === 'shared' && value.stage !== undefined && value.stage.op !== 'int'
        ? { ...value, stage: int(0) }
        : undefined,
    ),
  },
  {
    name: 'last k-step omitted',
    change: s => (isDepth(s) && s.op === 'for' ? [{ ...s, to: sub(s.to, s.step) }] : undefined),
  },
  {
    name: 'first k-step omitted',
    change: s => (isDepth(s) && s.op === 'for' ? [{ ...s, from: add(s.from, s.step) }] : undefined),
  },
  {
    name: 'accumulator not zeroed',
    change: s => (s.op === 'registers' && s.zeroed ? [{ ...s, zeroed: false }] : undefined),
  },
  {
    name: 'beta ignored',
    change: inValues(value =>
      value.op === 'add' && isScaled(value.right, 'beta') ? value.left : undefined,
    ),
  },
  {
    name: 'alpha ignored',
    change: inValues(value =>
      value.op === 'mul' && value.left.op === 'scalar' && value.left.role === 'alpha'
        ? value.right
        : undefined,
    ),
  },
  {
    name: 'first matrix of the batch for all batch entries',
    change: inValues(value => {
      if (value.op !== 'global' || value.offset === undefined) return undefined;
      return { ...value, offset: mul(value.offset, int(0)) };
    }),
  },
];

const isScaled = (value: Value, role: 'alpha' | 'beta'): boolean =>
  value.op === 'mul' && value.left.op === 'scalar' && value.left.role === role;
