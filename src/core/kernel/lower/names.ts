/** Names and index expressions shared by all lowerings. */
import { add, blockIdx, constant, div, int, mul, parameter, variable } from '../ir/expr';
import type {
  Condition,
  Expr,
  GlobalElement,
  SharedElement,
  Site,
  Statement,
  Value,
} from '../ir/ir';
import { lanePlanIn } from '../../plan/family';
import type { Plan } from '../../plan/plan';
import { repackedBytes } from '../../plan/wgmma/wgmmaTwoPass';
import type { DType } from '../../types/dtype';
import { epilogueOperands, gateOf, productsOf } from '../../spec/epilogue';
import type { GlobalOperand } from '../../spec/resolved';

export const BM = constant('BM');
export const BN = constant('BN');
export const BK = constant('BK');
export const TM = constant('TM');
export const TN = constant('TN');
export const THREADS = constant('THREADS');
export const SPLIT_K = constant('SPLIT_K');
export const M = parameter('m');
export const N = parameter('n');
export const K = parameter('k');

export type Operand = 'a' | 'b' | 'c';

const LEADING = { a: 'lda', b: 'ldb', c: 'ldc' } as const;
const SHARED_NAME = { a: 'As', b: 'Bs' } as const;

export const OFFSET = { a: 'offsetA', b: 'offsetB', c: 'offsetC' } as const;
const STRIDE = { a: 'strideA', b: 'strideB', c: 'strideC' } as const;

export const isBatched = (plan: Plan): boolean => plan.spec.problem.batch > 1;

/**
 * Returns the operands of the main kernel: a two-pass split-K writes the workspace instead of C.
 */
export const operandsOf = ({ split, spec: { problem } }: Plan): readonly GlobalOperand[] =>
  split?.reduction === 'two-pass'
    ? ['a', 'b', ...gateName(problem), 'workspace']
    : ['a', 'b', 'c', ...epilogueOperands(problem).map(({ name }) => name)];

const gateName = (problem: Plan['spec']['problem']): readonly GlobalOperand[] => {
  const gate = gateOf(problem);
  return gate === undefined ? [] : [gate.name];
};

export const batchEntryOf = ({ split }: Plan): Expr =>
  split === undefined ? blockIdx('z') : div(blockIdx('z'), SPLIT_K);

export const batchOffsets = (
  plan: Plan,
  operands: readonly GlobalOperand[],
  product: Expr,
): readonly Statement[] =>
  operands.flatMap(operand =>
    isBatched(plan) && (operand === 'a' || operand === 'b' || operand === 'c')
      ? [
          {
            op: 'let',
            name: OFFSET[operand],
            value: mul(product, parameter(STRIDE[operand])),
            ...(plan.wideOffsets.includes(operand) ? { wide: true as const } : {}),
          },
        ]
      : [],
  );

/** Returns the columns that a kernel computes for n columns of C: twice as many with a gate. */
export const computedColumns = ({ spec }: Plan, n: number): number => productsOf(spec.problem) * n;

/** Returns the first k of the thread block's K range: all of K, or a split-K slice. */
export const kBegin = ({ split }: Plan): Expr =>
  split === undefined ? int(0) : variable('kBegin');
export const kEnd = ({ split }: Plan): Expr => (split === undefined ? K : variable('kEnd'));

/** Reorders (row, column) to the operand's memory order [outer, inner]. */
export const ordered = <T>(plan: Plan, operand: Operand, row: T, column: T): readonly [T, T] =>
  plan.spec.problem[operand].layout === 'row' ? [row, column] : [column, row];

export function globalElement(
  plan: Plan,
  at: {
    readonly operand: Operand;
    readonly row: Expr;
    readonly column: Expr;
    readonly site: string;
  },
): GlobalElement {
  const [outer, inner] = ordered(plan, at.operand, at.row, at.column);
  const site = { name: at.site, operand: at.operand };
  return {
    op: 'global',
    site,
    outer,
    stride: parameter(LEADING[at.operand]),
    inner,
    ...(isBatched(plan) ? { offset: variable(OFFSET[at.operand]) } : {}),
  };
}

/**
 * Returns element (row, column) of a slice's partial result. Slices are packed and have the element
 * order of C.
 */
export function partialResult(
  plan: Plan,
  at: {
    readonly part: Expr;
    readonly row: Expr;
    readonly column: Expr;
    readonly site: string;
  },
): GlobalElement {
  const [outer, inner] = ordered(plan, 'c', at.row, at.column);
  const [lines, stride] = ordered(plan, 'c', M, N);
  const site = { name: at.site, operand: 'workspace' } as const;
  const follows = plan.family === 'wgmma' && repackedBytes(plan.wgmma) > 0;
  return {
    op: 'global',
    site,
    // With a gate, the partial result of the second product follows that of the first.
    outer: add(mul(mul(at.part, int(productsOf(plan.spec.problem))), lines), outer),
    stride,
    inner,
    ...(follows ? { offset: variable(PARTIAL_START) } : {}),
  };
}

/** Index of the first partial result, if repacked copies precede it in the workspace. */
export const PARTIAL_START = 'partialStart';

/** Returns element (row, column) of a staged tile, which keeps its operand's memory order. */
export function sharedElement(
  plan: Plan,
  at: {
    readonly operand: 'a' | 'b';
    readonly row: Expr;
    readonly column: Expr;
    readonly site: Site;
  },
): SharedElement {
  const [outer, inner] = ordered(plan, at.operand, at.row, at.column);
  return { op: 'shared', site: at.site, array: SHARED_NAME[at.operand], outer, inner };
}

export const converted = (value: Value, from: DType, to: DType): Value =>
  from === to ? value : { op: 'convert', from, to, value };

export const toAccumulator = (plan: Plan, operand: Operand, value: Value): Value =>
  converted(value, plan.dtypes[operand], plan.accumulator);

export const fromAccumulator = (plan: Plan, value: Value): Value =>
  converted(value, plan.accumulator, plan.dtypes.c);

export const tileExtent = (operand: 'a' | 'b'): readonly [Expr, Expr] =>
  operand === 'a' ? [BM, BK] : [BK, BN];

/**
 * Returns the M and N bounds checks of element (row, column). Dimensions without a guard are not
 * checked.
 */
export function inside(plan: Plan, operand: Operand, row: Expr, column: Expr): Condition {
  const { m, n } = plan.guards;
  const rows = m && operand !== 'b' ? M : null;
  const columns = n && operand !== 'a' ? N : null;
  return [
    ...(rows === null ? [] : [{ left: row, right: rows }]),
    ...(columns === null ? [] : [{ left: column, right: columns }]),
  ];
}

export const FRAGMENT = { a: 'a', b: 'b' } as const;
export const ACCUMULATOR = 'acc';

export const isThreadTiled = (plan: Plan): boolean =>
  plan.algorithm.startsWith('thread-tile') || lanePlanIn(plan) !== null;

export const isTwoDimensional = (plan: Plan): boolean =>
  plan.algorithm === 'thread-tile-2d' || lanePlanIn(plan) !== null;

export const threadRow = variable('threadRow');
export const threadCol = variable('threadCol');
export const blockRow = variable('blockRow');
export const blockCol = variable('blockCol');
export const row = variable('row');
export const col = variable('col');
export const k0 = variable('k0');
