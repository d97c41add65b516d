/**
 * Splits a problem into sub-problems that each compute a rectangle of C from some rows of A and
 * columns of B. The same kernel runs each sub-problem, with smaller dimensions and buffer offsets.
 */
import { DTYPE_BYTES } from '../core/types/dtype';
import { epilogueOperands, gateOf, type EpilogueName } from '../core/spec/epilogue';
import {
  buffersOf,
  operandOf,
  type BufferName,
  type OperandName,
  type ResolvedProblem,
  type SizedOperand,
} from '../core/spec/resolved';

type Bytes = Readonly<Record<OperandName, number>> &
  Readonly<Partial<Record<EpilogueName, number>>>;

export interface Part {
  readonly problem: ResolvedProblem;
  /** Byte offset of each matrix in its buffer. */
  readonly offsets: Bytes;
}

/**
 * Axes along which a sub-problem grows, in order: it spans all columns of C before it gets more
 * rows.
 */
const AXES = ['n', 'm', 'batch'] as const;
type Axis = (typeof AXES)[number];
export type Extent = Readonly<Record<Axis, number>>;

const rowBytes = ({ dtype, layout, ld }: SizedOperand): number =>
  DTYPE_BYTES[dtype] * (layout === 'row' ? ld : 1);
const columnBytes = ({ dtype, layout, ld }: SizedOperand): number =>
  DTYPE_BYTES[dtype] * (layout === 'row' ? 1 : ld);

/** Returns the byte distance of an operand per step along an axis of C; 0 if it is shared. */
function strideOf(problem: ResolvedProblem, name: BufferName, axis: Axis): number {
  const operand = operandOf(problem, name);
  const ofB: readonly (BufferName | undefined)[] = ['b', gateOf(problem)?.name];
  if (axis === 'batch') return DTYPE_BYTES[operand.dtype] * operand.batchStride;
  const isShared =
    axis === 'm' ? ofB.includes(name) || operand.rows === 1 : name === 'a' || operand.columns === 1;
  if (isShared) return 0;
  return axis === 'm' ? rowBytes(operand) : columnBytes(operand);
}

const stridesOf = (problem: ResolvedProblem, axis: Axis): readonly number[] =>
  buffersOf(problem).map(name => strideOf(problem, name, axis));

/**
 * The stride of a packed residual is N or M, and that of a packed row-major second B is N, so these
 * extents cannot be divided.
 */
const isDivisible = (problem: ResolvedProblem, axis: Axis): boolean =>
  !epilogueOperands(problem).some(
    ({ op, layout }) =>
      (op.op === 'residual' && axis === (layout === 'row' ? 'n' : 'm')) ||
      (op.op === 'gate' && axis === 'n' && layout === 'row'),
  );

/**
 * Returns the smallest extent of a sub-problem, at most the problem: complete tiles, and buffer
 * offsets that are multiples of `alignment`.
 */
export function smallestPart(
  problem: ResolvedProblem,
  tile: { readonly m: number; readonly n: number },
  alignment: number,
): Extent {
  const unit = (axis: Axis, tileExtent: number): number => {
    if (!isDivisible(problem, axis)) return problem[axis];
    const steps = stridesOf(problem, axis).map(
      bytes => alignment / greatestCommonDivisor(alignment, bytes),
    );
    return Math.min(problem[axis], steps.reduce(leastCommonMultiple, tileExtent));
  };
  return { m: unit('m', tile.m), n: unit('n', tile.n), batch: unit('batch', 1) };
}

/**
 * Doubles the extent along the first axis that is not complete. Returns a complete extent
 * unchanged.
 */
export function doubleExtent(extent: Extent, problem: ResolvedProblem): Extent {
  const axis = AXES.find(one => extent[one] < problem[one]);
  return axis === undefined
    ? extent
    : { ...extent, [axis]: Math.min(2 * extent[axis], problem[axis]) };
}

export const isWhole = (extent: Extent, problem: ResolvedProblem): boolean =>
  AXES.every(axis => extent[axis] >= problem[axis]);

export function partsOf(problem: ResolvedProblem, extent: Extent): readonly Part[] {
  const starts = (axis: Axis): readonly number[] =>
    Array.from({ length: Math.ceil(problem[axis] / extent[axis]) }, (_, i) => i * extent[axis]);
  const offset = (operand: BufferName, at: Extent): number =>
    AXES.reduce((bytes, axis) => bytes + at[axis] * strideOf(problem, operand, axis), 0);
  const part = (at: Extent): Part => ({
    problem: {
      ...problem,
      m: Math.min(extent.m, problem.m - at.m),
      n: Math.min(extent.n, problem.n - at.n),
      batch: Math.min(extent.batch, problem.batch - at.batch),
    },
    offsets: {
      a: offset('a', at),
      b: offset('b', at),
      c: offset('c', at),
      ...Object.fromEntries(epilogueOperands(problem).map(({ name }) => [name, offset(name, at)])),
    },
  });
  return starts('batch').flatMap(batch =>
    starts('m').flatMap(m => starts('n').map(n => part({ m, n, batch }))),
  );
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

const leastCommonMultiple = (a: number, b: number): number => (a / greatestCommonDivisor(a, b)) * b;
