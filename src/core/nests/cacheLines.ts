/**
 * Cache lines that a loop nest touches: every access of the loops, one after another, through a
 * fully associative cache with least-recently-used replacement.
 */
import {
  extentOf,
  iterationsOf,
  parentStep,
  type LoopAxis,
  type LoopNest,
  type LoopProblem,
} from './nest';

export interface Cache {
  readonly lineBytes: number;
  readonly lines: number;
}

const LINE_BYTES = 64;

/** Cache of a number of bytes, at least one line of 64 bytes. */
export const cacheOf = (bytes: number): Cache => ({
  lineBytes: LINE_BYTES,
  lines: Math.max(1, Math.floor(bytes / LINE_BYTES)),
});

/**
 * A small cache, so that small matrices exceed it: the ratio to a matrix of 64 x 64 elements is
 * that of an L1 cache of 32 KiB to a matrix of 180 x 180.
 */
export const SMALL_CACHE_BYTES = 4096;

export interface LineCounts {
  readonly accesses: number;
  /** Accesses of lines that were not in the cache, per matrix. */
  readonly misses: Readonly<Record<'a' | 'b' | 'c', number>>;
}

const ELEMENT_BYTES = 4;
/** Maximum number of iterations, so that counting takes well below a second. */
export const MAX_TRACED = 2 ** 20;

export const missesOf = ({ misses }: LineCounts): number => misses.a + misses.b + misses.c;

/** Visits the indices of all FMAs in the order of the loops. */
export function forEachFma(
  nest: LoopNest,
  problem: LoopProblem,
  visit: (i: number, j: number, k: number) => void,
): void {
  const index: Record<LoopAxis, number> = { i: 0, j: 0, k: 0 };
  const loops = nest.map(loop => ({
    ...loop,
    to: parentStep(nest, loop) ?? extentOf(loop.axis, problem),
  }));
  const { m, n, k } = problem;
  const run = (depth: number): void => {
    const loop = loops[depth];
    if (loop === undefined) {
      if (index.i < m && index.j < n && index.k < k) visit(index.i, index.j, index.k);
      return;
    }
    const first = index[loop.axis];
    for (let offset = 0; offset < loop.to; offset += loop.step) {
      index[loop.axis] = first + offset;
      run(depth + 1);
    }
    index[loop.axis] = first;
  };
  run(0);
}

/**
 * Counts the misses of A, B and C in f32, row-major. C is one access per FMA, because the cache
 * serves the load and the store of `+=` with the same line. Copies to shared memory are not
 * counted.
 */
export function countLines(nest: LoopNest, problem: LoopProblem, cache: Cache): LineCounts {
  const misses = { a: 0, b: 0, c: 0 };
  let accesses = 0;
  const lines = createLines(problem, cache);
  forEachFma(nest, problem, (i, j, k) => {
    for (const [operand, row, column] of [
      ['a', i, k],
      ['b', k, j],
      ['c', i, j],
    ] as const) {
      accesses++;
      if (lines.touch(operand, row, column)) misses[operand]++;
    }
  });
  return { accesses, misses };
}

type Operand = 'a' | 'b' | 'c';

export interface CachedLines {
  /** Accesses an element. Returns whether its line was not in the cache. */
  readonly touch: (operand: Operand, row: number, column: number) => boolean;
  /** Returns whether the line of an element is in the cache. */
  readonly has: (operand: Operand, row: number, column: number) => boolean;
}

/** Creates an empty cache of the lines of A, B and C in f32, row-major. */
export function createLines({ n, k }: LoopProblem, cache: Cache): CachedLines {
  const perLine = cache.lineBytes / ELEMENT_BYTES;
  // A set iterates in the order of insertion, so the first line is the least recently used.
  const cached = new Set<number>();
  const columns = { a: k, b: n, c: n };
  const offsets = { a: 0, b: 1, c: 2 };
  // Each matrix starts at a new line.
  const lineOf = (operand: Operand, row: number, column: number): number =>
    Math.floor((row * columns[operand] + column) / perLine) * 3 + offsets[operand];
  return {
    touch: (operand, row, column) => {
      const line = lineOf(operand, row, column);
      const isMiss = !cached.delete(line);
      if (isMiss && cached.size === cache.lines) {
        const [oldest] = cached;
        if (oldest !== undefined) cached.delete(oldest);
      }
      cached.add(line);
      return isMiss;
    },
    has: (operand, row, column) => cached.has(lineOf(operand, row, column)),
  };
}

/** Whether the iterations of a nest, including those beyond the matrices, can be traced. */
export const isTraceable = (nest: LoopNest, problem: LoopProblem): boolean =>
  nest.reduce((product, loop) => product * iterationsOf(nest, loop, problem), 1) <= MAX_TRACED;
