/** K in parts: the part that a block sums, and the kernels around the one that multiplies. */
import { grouped } from '../../text/digits';
import type { ArgumentRole } from '../ir/arguments';
import {
  add,
  blockIdx,
  ceilDiv,
  constant,
  int,
  min,
  mod,
  mul,
  threadIdx,
  variable,
} from '../ir/expr';
import type { Condition, Expr, KernelIr, Statement } from '../ir/ir';
import type { Plan, SplitPass, SplitPlan } from '../../plan/plan';
import { reducedEpilogue, times } from './epilogue';
import { BLANK, comment, declare, forLoop, onlyIf } from './loops';
import * as name from './names';
import type { GlobalOperand } from '../../spec/resolved';

/** More additions in a row would only lengthen the text of the machine. */
const MOST_UNROLLED = 32;

/** What the head of a file says of its parts; `entry` is the kernel that multiplies. */
export function splitSummary({ split, grid, spec }: Plan, entry: string): readonly string[] {
  if (split === undefined) return [];
  const { parts, depth, reduction, pass } = split;
  const blocks = grid.x * grid.y * grid.z;
  const cut = `Split-K: K is cut into ${parts} parts of ${grouped(depth)}, summed by blocks of their own, ${grouped(blocks)} instead of ${grouped(blocks / parts)}.`;
  if (reduction === 'two-pass') {
    return [
      cut,
      `Their sums go to a workspace, and ${entry}_reduce adds them up, always in the same order.`,
    ];
  }
  const before = spec.problem.beta === 0 ? 'sets C to zero' : 'multiplies C by beta';
  return [
    cut,
    'They are added to C by atomicAdd in no fixed order, so that its last bits may differ from run to run;',
    pass === undefined
      ? 'C is added to as it is, since beta is 1.'
      : `${entry}_scale ${before} before.`,
  ];
}

/** Declarations of kBegin and kEnd, where K is in parts. */
export function partOfK(plan: Plan): readonly Statement[] {
  if (plan.split === undefined) return [];
  const z = blockIdx('z');
  const [part, kPart] = [variable('part'), variable('kPart')];
  const step = plan.tile.k === 0 ? int(1) : name.BK;
  return [
    comment(
      name.isBatched(plan)
        ? 'Block z sums one part of K of product z / SPLIT_K.'
        : 'Block z sums part z of K.',
    ),
    declare('part', name.isBatched(plan) ? mod(z, name.SPLIT_K) : z),
    declare('kPart', mul(ceilDiv(name.K, mul(name.SPLIT_K, step)), step)),
    declare('kBegin', min(mul(part, kPart), name.K)),
    declare('kEnd', min(add(variable('kBegin'), kPart), name.K)),
    BLANK,
  ];
}

/** The kernel beside the one that multiplies: one element of C a thread, neighbours side by side. */
export function passIr(plan: Plan, entry: string): KernelIr | undefined {
  const { split, spec } = plan;
  const pass = split?.pass;
  if (split === undefined || pass === undefined) return undefined;
  const { kind, block } = pass;
  const { m, n, c, alpha, beta } = spec.problem;
  const row = c.layout === 'row';
  const extents = row ? { m: block.y, n: block.x } : { m: block.x, n: block.y };
  const position = (axis: 'x' | 'y', extent: Expr) =>
    add(mul(blockIdx(axis), extent), threadIdx(axis));
  const inside: Condition = [
    ...(m % extents.m === 0 ? [] : [{ left: name.row, right: name.M }]),
    ...(n % extents.n === 0 ? [] : [{ left: name.col, right: name.N }]),
  ];
  const scalars: readonly ArgumentRole[] = [
    ...(kind === 'reduce' && alpha !== 1 ? (['alpha'] as const) : []),
    ...(beta === 0 || beta === 1 ? [] : (['beta'] as const)),
  ];
  const operands: readonly GlobalOperand[] = kind === 'reduce' ? ['workspace', 'c'] : ['c'];
  return {
    entry: `${entry}_${kind}`,
    pass: kind,
    summary: [],
    dtypes: plan.dtypes,
    accumulator: plan.accumulator,
    constants: [
      { name: 'RM', value: extents.m, comment: `rows of C a block of ${NOUN[kind]} computes` },
      { name: 'RN', value: extents.n, comment: `columns of C a block of ${NOUN[kind]} computes` },
      { name: 'SPLIT_K', value: split.parts, comment: 'parts of K', shared: true },
    ],
    shared: [],
    operands,
    parameters: [
      'm',
      'n',
      'ldc',
      ...(name.isBatched(plan) ? ['strideC' as const] : []),
      ...scalars,
    ],
    body: [
      ...name.batchOffsets(plan, ['c'], blockIdx('z')),
      declare('row', position(row ? 'y' : 'x', RM)),
      declare('col', position(row ? 'x' : 'y', RN)),
      ...onlyIf(inside, kind === 'reduce' ? reduce(plan, split) : [scale(plan)]),
    ],
  };
}

const NOUN: Readonly<Record<SplitPass, string>> = { reduce: 'the reduction', scale: 'the scaling' };
const [RM, RN] = [constant('RM'), constant('RN')];

function reduce(plan: Plan, { parts }: SplitPlan): readonly Statement[] {
  const at = { row: name.row, column: name.col };
  const s = variable('s');
  const part = name.isBatched(plan) ? add(mul(blockIdx('z'), name.SPLIT_K), s) : s;
  const sum = { op: 'register', name: name.ACCUMULATOR, index: [] } as const;
  const right = name.partialSum(plan, { ...at, part, site: 'workspace load' });
  const { place, old, value, stored } = reducedEpilogue(plan, at);
  return [
    {
      op: 'registers',
      name: name.ACCUMULATOR,
      dtype: plan.accumulator,
      shape: [],
      zeroed: true,
    },
    forLoop(
      's',
      name.SPLIT_K,
      [{ op: 'assign', place: sum, value: { op: 'add', left: sum, right } }],
      {
        unroll: parts <= MOST_UNROLLED,
      },
    ),
    { op: 'assign', place, value: stored(value(sum, old)) },
  ];
}

/** With beta = 0 C is not read. */
function scale(plan: Plan): Statement {
  const { beta } = plan.spec.problem;
  const at = { operand: 'c', row: name.row, column: name.col } as const;
  const old = name.toSum(plan, 'c', name.globalElement(plan, { ...at, site: 'C load' }));
  const place = name.globalElement(plan, { ...at, site: 'C store' });
  const scaled = name.converted(times('beta', old), plan.accumulator, plan.dtypes.c);
  return { op: 'assign', place, value: beta === 0 ? { op: 'zero' } : scaled };
}
