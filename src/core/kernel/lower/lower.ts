/** Lowers a plan's steps to loop IR: loops, loads, stores and FMAs. */
import { add, int, variable } from '../ir/expr';
import type { Expr, KernelIr, Statement, Value } from '../ir/ir';
import type { LanedPlan, Plan } from '../../plan/plan';
import { stepsOf, type Step } from '../../plan/steps';
import { distinctStatements } from '../ir/statements';
import { constantsOf, parametersOf, summaryOf } from './head';
import { gemvPosition, isGemv } from './simt/gemv';
import { lanePosition } from './simt/lanes';
import { fragmentArrays, fragmentPosition } from './mma/fragmentTiles';
import { lowerLanedSteps } from './simt/lanedSteps';
import { lowerFragmentSteps } from './mma/lowerFragments';
import { lowerMatrixSteps } from './mma/lowerMatrices';
import { matrixArrays, matrixPosition, matrixVectors, SHAPE } from './mma/matrices';
import { reuseComment, stagingComment } from './comments';
import { epilogueOffsets, epilogueVectors } from './epilogueOps';
import { gateOffsets, withSecondProduct } from './gate';
import { indexOf } from './indexNames';
import { BLANK, comment, forLoop } from './loops';
import * as name from './names';
import { declareStarts } from './tileTraversal';
import { sharedArrays } from './shared';
import { tileLoop } from './pipeline';
import { siteAt, type At } from './staging';
import { sliceOfK, passIr, splitSummary } from './split';
import { store } from './store';
import { threadPosition } from './threads';
import { loadTile } from './tiles';

export function lowered(plan: Plan): {
  readonly before: readonly KernelIr[];
  readonly ir: KernelIr;
  readonly after: readonly KernelIr[];
} {
  const ir = lower(plan);
  const pass = passIr(plan, ir.entry);
  const passes = pass === undefined ? [] : [pass];
  const first = plan.split?.reduction === 'atomic';
  return { before: first ? passes : [], ir, after: first ? [] : passes };
}

export function lower(plan: Plan): KernelIr {
  const entry = `gemm_${plan.algorithm.replaceAll('-', '_')}`;
  const { body, ...own } = loweredFamily(plan);
  const ir: KernelIr = {
    entry,
    summary: [...summaryOf(plan), ...splitSummary(plan, entry)],
    dtypes: plan.dtypes,
    accumulator: plan.accumulator,
    constants: constantsOf(plan),
    operands: name.operandsOf(plan),
    parameters: parametersOf(plan),
    ...own,
    body,
  };
  const both = withSecondProduct(plan, ir);
  // Each statement has its own lines and its own steps.
  return { ...both, body: distinctStatements(both.body) };
}

function loweredFamily(
  plan: Plan,
): Pick<KernelIr, 'shared' | 'vectors' | 'matrices' | 'factor' | 'body'> {
  const steps = stepsOf(plan);
  const placed = (
    position: readonly Statement[],
    body: readonly Statement[],
  ): readonly Statement[] => [...productAndPart(plan), ...position, BLANK, ...body];
  switch (plan.family) {
    case 'simt': {
      const shared = sharedArrays(plan);
      if (plan.lanes === null) {
        const body = lowerSteps(plan, steps, WHOLE);
        return {
          shared,
          body:
            plan.shared === undefined ? guardWhole(plan, body) : placed(threadPosition(plan), body),
        };
      }
      const starts = plan.shared === undefined ? [] : declareStarts(plan);
      const body = lowerLanedSteps(plan, steps, WHOLE);
      return {
        shared,
        vectors: vectorsOf(plan),
        body: placed(
          [...(isGemv(plan) ? gemvPosition(plan) : lanePosition(plan)), ...starts],
          body,
        ),
      };
    }
    case 'subgroup-matrix':
      return {
        shared: matrixArrays(plan),
        vectors: matrixVectors(plan),
        matrices: SHAPE,
        body: placed(matrixPosition(plan), lowerMatrixSteps(plan, steps)),
      };
    case 'mma': {
      const { fp32Emulation } = plan.fragments;
      return {
        shared: fragmentArrays(plan),
        vectors: matrixVectors(plan),
        matrices: SHAPE,
        ...(fp32Emulation === undefined ? {} : { factor: fp32Emulation.dtype }),
        body: placed(fragmentPosition(plan), lowerFragmentSteps(plan, steps, WHOLE)),
      };
    }
    case 'wgmma':
      throw new Error('The main loop of wgmma kernels is hand-written');
  }
}

const productAndPart = (plan: Plan): readonly Statement[] => [
  ...zComment(plan),
  ...name.batchOffsets(plan, name.operandsOf(plan), name.batchEntryOf(plan)),
  ...gateOffsets(plan, name.batchEntryOf(plan)),
  ...(plan.split === undefined ? epilogueOffsets(plan, name.batchEntryOf(plan)) : []),
  ...sliceOfK(plan),
];

function zComment(plan: Plan): readonly Statement[] {
  const selected = [
    ...(name.isBatched(plan) ? ['the batch entry'] : []),
    ...(plan.split === undefined ? [] : ['the split-K slice']),
  ];
  return selected.length === 0
    ? []
    : [comment(`${indexOf(plan, 'block', 'z')} selects ${selected.join(' and ')}.`)];
}

const vectorsOf = (plan: LanedPlan): NonNullable<KernelIr['vectors']> => {
  const { lanes, split } = plan;
  const { a, b, storeWidth } = lanes;
  return {
    a: a.width,
    b: b.width,
    [split?.reduction === 'two-pass' ? 'workspace' : 'c']: storeWidth,
    ...epilogueVectors(plan, storeWidth),
  };
};

/** Guards the whole body: in a kernel without barriers, threads outside C are idle. */
function guardWhole(plan: Plan, steps: readonly Statement[]): readonly Statement[] {
  const condition = name.inside(plan, 'c', name.row, name.col);
  const position = [...productAndPart(plan), ...threadPosition(plan)];
  if (condition.length === 0) return [...position, BLANK, ...steps];
  return [...position, { op: 'if', condition, body: steps }];
}

/** Loops over the k values of a staged tile, or over the K range of the thread block. */
const depthLoop = (plan: Plan, body: readonly Statement[], { depth }: At): Statement =>
  plan.shared === undefined
    ? forLoop('k', name.kEnd(plan), body, { from: name.kBegin(plan) })
    : forLoop('k', depth, body);

const WHOLE: At = { k0: int(0), depth: name.BK, edge: 'none' };

const lowerSteps = (plan: Plan, steps: readonly Step[], at: At): readonly Statement[] =>
  steps.flatMap(step => lowerStep(plan, step, at));

function lowerStep(plan: Plan, step: Step, at: At): readonly Statement[] {
  switch (step.op) {
    case 'zero':
      return zero(plan);
    case 'tiles':
      return tileLoop(plan, inside => lowerSteps(plan, step.body, inside));
    case 'depth':
      return [...reuseComment(plan, at), depthLoop(plan, lowerSteps(plan, step.body, at), at)];
    case 'loadTile':
      return [
        ...(step.operand === 'a' ? [comment(stagingComment(plan))] : []),
        ...loadTile(plan, step.operand, at),
      ];
    case 'barrier':
      return [{ op: 'barrier' }];
    case 'loadFragment':
      return loadFragment(plan, step.operand, at);
    case 'multiplyAdd':
      return multiplyAdd(plan, step.from, at);
    case 'store':
      return store(plan);
    default:
      throw new Error(`Algorithm ${plan.algorithm} has no step ${step.op}`);
  }
}

function zero(plan: Plan): readonly Statement[] {
  const { accumulator: dtype } = plan;
  const registers = (register: string, shape: readonly Expr[], zeroed: boolean): Statement => ({
    op: 'registers',
    name: register,
    dtype,
    shape,
    zeroed,
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

function loadFragment(plan: Plan, operand: 'a' | 'b', at: At): readonly Statement[] {
  const site = siteAt(`${operand === 'a' ? 'As' : 'Bs'} fragment load`, operand, at);
  const element = (row: Expr, column: Expr) =>
    name.toAccumulator(plan, operand, name.sharedElement(plan, { operand, row, column, site }));
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

const summed = (plan: Plan, a: Value, b: Value): readonly [Value, Value] => [
  name.toAccumulator(plan, 'a', a),
  name.toAccumulator(plan, 'b', b),
];

function multiplyAdd(
  plan: Plan,
  from: 'global' | 'shared' | 'fragments',
  at: At,
): readonly Statement[] {
  const fma = (index: readonly Expr[], left: Value, right: Value): Statement => ({
    op: 'fma',
    place: { op: 'register', name: name.ACCUMULATOR, index },
    left,
    right,
  });
  if (from === 'fragments') {
    const a: Value = { op: 'register', name: name.FRAGMENT.a, index: [m] };
    const columns = plan.algorithm === 'thread-tile-2d' ? [n] : [];
    const body = fma([m, ...columns], a, { op: 'register', name: name.FRAGMENT.b, index: columns });
    const across = columns.length === 0 ? body : forLoop('n', name.TN, [body], { unroll: true });
    return [forLoop('m', name.TM, [across], { unroll: true })];
  }
  if (from === 'shared') {
    const a = { operand: 'a', row: name.threadRow, column: k } as const;
    const b = { operand: 'b', row: k, column: name.threadCol } as const;
    const [left, right] = [siteAt('As load', 'a', at), siteAt('Bs load', 'b', at)];
    return [
      fma(
        [],
        ...summed(
          plan,
          name.sharedElement(plan, { ...a, site: left }),
          name.sharedElement(plan, { ...b, site: right }),
        ),
      ),
    ];
  }
  const a = { operand: 'a', row: name.row, column: k, site: 'A load' } as const;
  const b = { operand: 'b', row: k, column: name.col, site: 'B load' } as const;
  return [fma([], ...summed(plan, name.globalElement(plan, a), name.globalElement(plan, b)))];
}
