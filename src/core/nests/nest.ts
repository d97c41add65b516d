/**
 * Loop nests of C = A B. Each axis (i: rows of C, j: columns of C, k) has a chain of loops whose
 * steps decrease to 1. An element's index is the sum of the loop variables of its axis.
 */
export const AXES = ['i', 'j', 'k'] as const;
export type LoopAxis = (typeof AXES)[number];

/**
 * Where the iterations of a loop run:
 *
 * - `grid`: in different thread blocks
 * - `block`: in different threads of a block; in different warps if the nest has loops at `warp`
 * - `warp`: in different lanes of a warp
 * - `thread`: one after another in one thread
 * - `vector`: as elements of one vectorized access
 * - `mma`: in one matrix instruction of a warp or a warp group
 */
export const LEVELS = ['grid', 'block', 'warp', 'thread', 'vector', 'mma'] as const;
export type Level = (typeof LEVELS)[number];

export interface Loop {
  readonly axis: LoopAxis;
  /** Difference of the loop variable between iterations; 1 for the innermost loop of an axis. */
  readonly step: number;
  readonly level: Level;
  /** Set on a k loop that copies its tiles of A and B to shared memory in each iteration. */
  readonly shared?: true;
}

/** Loops, the outermost first. */
export type LoopNest = readonly Loop[];

export interface LoopProblem {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Element type of A, B and C. */
  readonly dtype: 'f32' | 's32';
}

export const extentOf = (axis: LoopAxis, { m, n, k }: Pick<LoopProblem, 'm' | 'n' | 'k'>): number =>
  ({ i: m, j: n, k })[axis];

/** Returns the loops of an axis with their positions in the nest, the largest step first. */
export const chainOf = (
  nest: LoopNest,
  axis: LoopAxis,
): readonly { readonly loop: Loop; readonly at: number }[] =>
  nest
    .map((loop, at) => ({ loop, at }))
    .filter(({ loop }) => loop.axis === axis)
    .sort((one, other) => other.loop.step - one.loop.step);

/** Returns the next larger step of the loop's axis; null for the loop over the whole axis. */
export function parentStep(nest: LoopNest, { axis, step }: Loop): number | null {
  const larger = nest.filter(loop => loop.axis === axis && loop.step > step).map(loop => loop.step);
  return larger.length === 0 ? null : Math.min(...larger);
}

/** Returns the number of iterations of a loop in one iteration of the loops around it. */
export function iterationsOf(nest: LoopNest, loop: Loop, problem: LoopProblem): number {
  const parent = parentStep(nest, loop);
  return Math.ceil((parent ?? extentOf(loop.axis, problem)) / loop.step);
}

/**
 * Returns the variable name of each loop, in the order of the nest: i for the loop over the whole
 * axis, then i0, i1.
 */
export function variablesOf(nest: LoopNest): readonly string[] {
  const names = nest.map(({ axis }) => axis as string);
  for (const axis of AXES)
    chainOf(nest, axis).forEach(({ at }, depth) => {
      names[at] = depth === 0 ? axis : `${axis}${depth - 1}`;
    });
  return names;
}

/** Returns whether each loop of the axis is inside of all loops with a larger step. */
export const isOrdered = (nest: LoopNest, axis: LoopAxis): boolean =>
  chainOf(nest, axis).every(({ at }, i, chain) => i === 0 || (chain[i - 1]?.at ?? 0) < at);

/** Whether iterations of the outermost loop of an axis extend beyond the matrices. */
export const overhangs = (nest: LoopNest, problem: LoopProblem, axis: LoopAxis): boolean =>
  extentOf(axis, problem) % (chainOf(nest, axis)[0]?.loop.step ?? 1) !== 0;
