/**
 * Splits a problem into parts: rectangles of C. Each part multiplies some rows of A with some
 * columns of B. The same kernel computes it as a smaller problem with buffer offsets.
 */
import { DTYPE_BYTES } from '../core/types/dtype';
import type { OperandName, ResolvedOperand, ResolvedProblem } from '../core/spec/resolved';

/** Bytes per matrix. */
type Bytes = Readonly<Record<OperandName, number>>;

export interface Part {
  readonly problem: ResolvedProblem;
  /** Offsets of its matrices in their buffers. */
  readonly offsets: Bytes;
}

/**
 * Axes in which a part grows. A part grows along `n` first: it fills one row of tiles before it
 * adds another.
 */
const AXES = ['n', 'm', 'batch'] as const;
type Axis = (typeof AXES)[number];
export type Extent = Readonly<Record<Axis, number>>;

/** Returns the byte stride between rows, or columns, of a matrix. */
const rowBytes = ({ dtype, layout, ld }: ResolvedOperand): number =>
  DTYPE_BYTES[dtype] * (layout === 'row' ? ld : 1);
const columnBytes = ({ dtype, layout, ld }: ResolvedOperand): number =>
  DTYPE_BYTES[dtype] * (layout === 'row' ? 1 : ld);
const entryBytes = ({ dtype, batchStride }: ResolvedOperand): number =>
  DTYPE_BYTES[dtype] * batchStride;

/** Returns the byte strides of the matrices per problem index. */
const stridesOf = ({ a, b, c }: ResolvedProblem): Readonly<Record<Axis, Bytes>> => ({
  m: { a: rowBytes(a), b: 0, c: rowBytes(c) },
  n: { a: 0, b: columnBytes(b), c: columnBytes(c) },
  batch: { a: entryBytes(a), b: entryBytes(b), c: entryBytes(c) },
});

/**
 * Returns the smallest part that can be bound: complete tiles, and offsets that are multiples of
 * `alignment`.
 */
export function smallestPart(
  problem: ResolvedProblem,
  tile: { readonly m: number; readonly n: number },
  alignment: number,
): Extent {
  const strides = stridesOf(problem);
  const unit = (axis: Axis, tileExtent: number): number => {
    const { a, b, c } = strides[axis];
    const steps = [a, b, c].map(bytes => alignment / greatestCommonDivisor(alignment, bytes));
    return Math.min(problem[axis], steps.reduce(leastCommonMultiple, tileExtent));
  };
  return { m: unit('m', tile.m), n: unit('n', tile.n), batch: unit('batch', 1) };
}

/** Doubles a part up to the problem size; returns the whole problem unchanged. */
export function doubleExtent(extent: Extent, problem: ResolvedProblem): Extent {
  const axis = AXES.find(one => extent[one] < problem[one]);
  return axis === undefined
    ? extent
    : { ...extent, [axis]: Math.min(2 * extent[axis], problem[axis]) };
}

export const isWhole = (extent: Extent, problem: ResolvedProblem): boolean =>
  AXES.every(axis => extent[axis] >= problem[axis]);

/** Splits the problem into parts of at most `extent`. */
export function partsOf(problem: ResolvedProblem, extent: Extent): readonly Part[] {
  const strides = stridesOf(problem);
  const starts = (axis: Axis): readonly number[] =>
    Array.from({ length: Math.ceil(problem[axis] / extent[axis]) }, (_, i) => i * extent[axis]);
  const offset = (operand: OperandName, at: Extent): number =>
    AXES.reduce((bytes, axis) => bytes + at[axis] * strides[axis][operand], 0);
  const part = (at: Extent): Part => ({
    problem: {
      ...problem,
      m: Math.min(extent.m, problem.m - at.m),
      n: Math.min(extent.n, problem.n - at.n),
      batch: Math.min(extent.batch, problem.batch - at.batch),
    },
    offsets: { a: offset('a', at), b: offset('b', at), c: offset('c', at) },
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
