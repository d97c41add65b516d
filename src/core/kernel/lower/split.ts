/** Split-K: the K range of a slice, and the pre-pass and post-pass kernels. */
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
import { elementOperands } from '../../spec/epilogue';
import { epilogueConstants, epilogueOffsets } from './epilogueOps';
import { reducedEpilogue, times } from './epilogue';
import { withSecondProduct } from './gate';
import { BLANK, declare, forLoop, onlyIf } from './loops';
import * as name from './names';
import type { GlobalOperand } from '../../spec/resolved';

/** Maximum slice count for which the reduction loop is unrolled. */
const MAX_UNROLLED = 32;

export function splitSummary({ split, grid, spec }: Plan, entry: string): readonly string[] {
  if (split === undefined) return [];
  const { slices, sliceK, reduction, pass } = split;
  const blocks = grid.x * grid.y * grid.z;
  const cut = `Split-K: K is partitioned into ${slices} slices of ${grouped(sliceK)}, computed by separate thread blocks (${grouped(blocks)} instead of ${grouped(blocks / slices)}).`;
  if (reduction === 'two-pass') {
    return [cut, `Partial results go to a workspace; ${entry}_reduce reduces them.`];
  }
  const before = spec.problem.beta === 0 ? 'first sets C to zero' : 'first multiplies C by beta';
  return [
    cut,
    'Partial results are added to C with atomicAdd.',
    pass === undefined ? 'C is not scaled first, since beta is 1.' : `${entry}_scale ${before}.`,
  ];
}

export function sliceOfK(plan: Plan): readonly Statement[] {
  if (plan.split === undefined) return [];
  const z = blockIdx('z');
  const [part, kPart] = [variable('slice'), variable('kSlice')];
  const step = plan.tile.k === 0 ? int(1) : name.BK;
  return [
    declare('slice', name.isBatched(plan) ? mod(z, name.SPLIT_K) : z),
    declare('kSlice', mul(ceilDiv(name.K, mul(name.SPLIT_K, step)), step)),
    declare('kBegin', min(mul(part, kPart), name.K)),
    declare('kEnd', min(add(variable('kBegin'), kPart), name.K)),
    BLANK,
  ];
}

/**
 * Returns the pre-pass or post-pass kernel of split-K, or undefined if the kernel has none. Each
 * thread computes one element of C, with coalesced accesses.
 */
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
  // The main kernel of `wgmma` checks bounds for all M and N, and so does its reduction kernel.
  const isGuarded = (size: number, extent: number): boolean =>
    plan.family === 'wgmma' || size % extent !== 0;
  const inside: Condition = [
    ...(isGuarded(m, extents.m) ? [{ left: name.row, right: name.M }] : []),
    ...(isGuarded(n, extents.n) ? [{ left: name.col, right: name.N }] : []),
  ];
  const scalars: readonly ArgumentRole[] = [
    ...(kind === 'reduce' && alpha !== 1 ? (['alpha'] as const) : []),
    ...(beta === 0 || beta === 1 ? [] : (['beta'] as const)),
  ];
  const operands: readonly GlobalOperand[] =
    kind === 'reduce'
      ? ['workspace', 'c', ...elementOperands(spec.problem).map(operand => operand.name)]
      : ['c'];
  return withSecondProduct(plan, {
    entry: `${entry}_${kind}`,
    pass: kind,
    summary: [],
    dtypes: plan.dtypes,
    accumulator: plan.accumulator,
    constants: [
      { name: 'RM', value: extents.m, comment: `rows of C per block of ${NOUN[kind]}` },
      { name: 'RN', value: extents.n, comment: `columns of C per block of ${NOUN[kind]}` },
      { name: 'SPLIT_K', value: split.slices, comment: 'split-K slices', shared: true },
      ...(kind === 'reduce' ? epilogueConstants(plan) : []),
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
      ...(kind === 'reduce' ? epilogueOffsets(plan, blockIdx('z')) : []),
      declare('row', position(row ? 'y' : 'x', RM)),
      declare('col', position(row ? 'x' : 'y', RN)),
      ...onlyIf(inside, kind === 'reduce' ? reduce(plan, split) : [scale(plan)]),
    ],
  });
}

const NOUN: Readonly<Record<SplitPass, string>> = {
  reduce: 'the reduction kernel',
  scale: 'the scaling kernel',
};
const [RM, RN] = [constant('RM'), constant('RN')];

function reduce(plan: Plan, { slices }: SplitPlan): readonly Statement[] {
  const at = { row: name.row, column: name.col };
  const s = variable('s');
  const part = name.isBatched(plan) ? add(mul(blockIdx('z'), name.SPLIT_K), s) : s;
  const sum = { op: 'register', name: name.ACCUMULATOR, index: [] } as const;
  const right = name.partialResult(plan, { ...at, part, site: 'workspace load' });
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
        unroll: slices <= MAX_UNROLLED,
      },
    ),
    { op: 'assign', place, value: stored(value(sum, old)) },
  ];
}

/** Scales C; with beta = 0, C is not read. */
function scale(plan: Plan): Statement {
  const { beta } = plan.spec.problem;
  const at = { operand: 'c', row: name.row, column: name.col } as const;
  const old = name.toAccumulator(plan, 'c', name.globalElement(plan, { ...at, site: 'C load' }));
  const place = name.globalElement(plan, { ...at, site: 'C store' });
  const scaled = name.converted(times('beta', old), plan.accumulator, plan.dtypes.c);
  return { op: 'assign', place, value: beta === 0 ? { op: 'zero' } : scaled };
}
