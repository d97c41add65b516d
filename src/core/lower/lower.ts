/** From a plan's steps to the loop IR: how each coarse operation is done, in loops, loads, stores and fma. */
import { add, int, variable } from '../ir/expr';
import type { Expr, KernelIr, SharedArray, Statement, Value } from '../ir/ir';
import type { Plan } from '../plan/plan';
import { stepsOf, type Step } from '../plan/steps';
import { constantsOf, parametersOf, summaryOf } from './head';
import * as name from './names';
import { store } from './store';
import { threadPosition } from './threads';
import { loadTile } from './tiles';

/** The kernel that a plan describes. */
export function lower(plan: Plan): KernelIr {
  const steps = lowerSteps(plan, stepsOf(plan));
  const body =
    plan.shared === undefined
      ? guardWhole(plan, steps)
      : [...threadPosition(plan), BLANK, ...steps];
  return {
    entry: `gemm_${plan.algorithm.replaceAll('-', '_')}`,
    summary: summaryOf(plan),
    dtype: plan.dtype,
    constants: constantsOf(plan),
    shared: sharedArrays(plan),
    parameters: parametersOf(plan),
    body,
  };
}

const BLANK: Statement = { op: 'blank' };
const comment = (text: string): Statement => ({ op: 'comment', text });

/** Without barriers a thread outside C has nothing to do at all. */
function guardWhole(plan: Plan, steps: readonly Statement[]): readonly Statement[] {
  const condition = name.inside(plan, 'c', name.row, name.col);
  const position = threadPosition(plan);
  if (condition.length === 0) return [...position, BLANK, ...steps];
  return [...position, { op: 'if', condition, body: steps }];
}

const lowerSteps = (plan: Plan, steps: readonly Step[]): readonly Statement[] =>
  steps.flatMap(step => lowerStep(plan, step));

function lowerStep(plan: Plan, step: Step): readonly Statement[] {
  switch (step.op) {
    case 'zero':
      return zero(plan);
    case 'tiles': {
      const body = lowerSteps(plan, step.body);
      return [forLoop('k0', name.K, body, { step: name.BK }), BLANK];
    }
    case 'depth':
      return [forLoop('k', plan.shared ? name.BK : name.K, lowerSteps(plan, step.body))];
    case 'loadTile':
      return [
        ...(step.operand === 'a' ? [comment(stagingComment(plan))] : []),
        ...loadTile(plan, step.operand),
      ];
    case 'barrier':
      return [{ op: 'barrier' }];
    case 'loadFragment':
      return loadFragment(plan, step.operand);
    case 'multiplyAdd':
      return multiplyAdd(plan, step.from);
    case 'store':
      return store(plan);
  }
}

function forLoop(
  index: string,
  to: Expr,
  body: readonly Statement[],
  options: { readonly step?: Expr; readonly unroll?: boolean } = {},
): Statement {
  const { step = int(1), unroll = false } = options;
  return { op: 'for', index, from: int(0), to, step, unroll, body };
}

function stagingComment(plan: Plan): string {
  const { m, n, k } = plan.guards;
  return m || n || k
    ? 'Stage a tile of A and of B in shared memory, zero past the edges.'
    : 'Stage a tile of A and of B in shared memory.';
}

function zero(plan: Plan): readonly Statement[] {
  const { accumulator: dtype } = plan;
  const registers = (register: string, shape: readonly Expr[], zeroed: boolean): Statement => ({
    ...{ op: 'registers', name: register, dtype, shape, zeroed },
  });
  if (!name.isThreadTiled(plan)) return [registers(name.ACCUMULATOR, [], true)];
  const columns = plan.algorithm === 'thread-tile-2d' ? [name.TN] : [];
  return [
    registers(name.ACCUMULATOR, [name.TM, ...columns], true),
    registers(name.FRAGMENT.a, [name.TM], false),
    registers(name.FRAGMENT.b, columns, false),
    BLANK,
  ];
}

const [k, m, n] = [variable('k'), variable('m'), variable('n')];

/** A column of the A tile, or a row of the B tile, into registers. */
function loadFragment(plan: Plan, operand: 'a' | 'b'): readonly Statement[] {
  const site = `${operand === 'a' ? 'As' : 'Bs'} fragment load`;
  const element = (row: Expr, column: Expr) =>
    name.sharedElement(plan, { operand, row, column, site });
  const register = (index: readonly Expr[]) =>
    ({ op: 'register', name: name.FRAGMENT[operand], index }) as const;
  if (operand === 'a') {
    const value = element(add(name.threadRow, m), k);
    return [
      forLoop('m', name.TM, [{ op: 'assign', place: register([m]), value }], { unroll: true }),
    ];
  }
  if (plan.algorithm === 'thread-tile-1d') {
    return [{ op: 'assign', place: register([]), value: element(k, name.threadCol) }];
  }
  const value = element(k, add(name.threadCol, n));
  return [forLoop('n', name.TN, [{ op: 'assign', place: register([n]), value }], { unroll: true })];
}

function multiplyAdd(plan: Plan, from: 'global' | 'shared' | 'fragments'): readonly Statement[] {
  const fma = (index: readonly Expr[], left: Value, right: Value): Statement => ({
    ...{ op: 'fma', place: { op: 'register', name: name.ACCUMULATOR, index }, left, right },
  });
  if (from === 'fragments') {
    const a: Value = { op: 'register', name: name.FRAGMENT.a, index: [m] };
    const columns = plan.algorithm === 'thread-tile-2d' ? [n] : [];
    const body = fma([m, ...columns], a, { op: 'register', name: name.FRAGMENT.b, index: columns });
    const across = columns.length === 0 ? body : forLoop('n', name.TN, [body], { unroll: true });
    return [forLoop('m', name.TM, [across], { unroll: true })];
  }
  if (from === 'shared') {
    const a = { operand: 'a', row: name.threadRow, column: k, site: 'As load' } as const;
    const b = { operand: 'b', row: k, column: name.threadCol, site: 'Bs load' } as const;
    return [fma([], name.sharedElement(plan, a), name.sharedElement(plan, b))];
  }
  const a = { operand: 'a', row: name.row, column: k, site: 'A load' } as const;
  const b = { operand: 'b', row: k, column: name.col, site: 'B load' } as const;
  return [fma([], name.globalElement(plan, a), name.globalElement(plan, b))];
}

function sharedArrays(plan: Plan): readonly SharedArray[] {
  if (plan.shared === undefined) return [];
  return (['a', 'b'] as const).map(operand => {
    const [rows, columns] = name.tileExtent(operand);
    const [outer, inner] = name.ordered(plan, operand, rows, columns);
    const padded = (plan.shared?.[operand].padding ?? 0) > 0;
    const padding: Expr = { op: 'constant', name: operand === 'a' ? 'PAD_A' : 'PAD_B' };
    return {
      name: operand === 'a' ? 'As' : 'Bs',
      dtype: plan.dtype,
      outer,
      inner: padded ? add(inner, padding) : inner,
    };
  });
}
