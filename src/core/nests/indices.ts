/** Mapping of parallel loops to block and thread indices. */
import { WARP_LANES } from '../hardware/warp';
import { blockIdx, div, int, mod, threadIdx } from '../kernel/ir/expr';
import type { Axis, Expr } from '../kernel/ir/ir';
import type { Dim3 } from '../plan/plan';
import { iterationsOf, type Level, type Loop, type LoopNest, type LoopProblem } from './nest';
import { hasWarps } from './rules';

/** Consecutive indices are along x, so the last parallel loop of a nest is along x. */
const AXES: readonly Axis[] = ['x', 'y', 'z'];

interface Sized {
  readonly at: number;
  readonly iterations: number;
}

const loopsAt = (nest: LoopNest, level: Level, problem: LoopProblem): readonly Sized[] =>
  nest.flatMap((loop, at) =>
    loop.level === level ? [{ at, iterations: iterationsOf(nest, loop, problem) }] : [],
  );

/**
 * Returns the index of each parallel loop, in iterations; null for a loop within a thread. The last
 * loop of a level has consecutive indices.
 */
export function parallelIndices(nest: LoopNest, problem: LoopProblem): readonly (Expr | null)[] {
  const found: (Expr | null)[] = nest.map(() => null);
  const place = (loops: readonly Sized[], indices: readonly Expr[]): void => {
    loops.forEach(({ at }, i) => {
      found[at] = indices[i] ?? int(0);
    });
  };
  const [grid, block, warp] = [
    loopsAt(nest, 'grid', problem),
    loopsAt(nest, 'block', problem),
    loopsAt(nest, 'warp', problem),
  ];
  place(grid, alongAxes(grid, blockIdx));
  if (isLinear(nest, problem)) {
    const thread = threadIdx('x');
    const lanes = hasWarps(nest);
    place(block, digits(block, lanes ? div(thread, int(WARP_LANES)) : thread));
    place(warp, digits(warp, mod(thread, int(WARP_LANES))));
  } else place(block, alongAxes(block, threadIdx));
  return found;
}

const alongAxes = (loops: readonly Sized[], index: (axis: Axis) => Expr): readonly Expr[] =>
  loops.map((_, i) => index(AXES[loops.length - 1 - i] ?? 'z'));

/** Whether a block has one dimension: it has warps, or more loops than dimensions. */
const isLinear = (nest: LoopNest, problem: LoopProblem): boolean =>
  hasWarps(nest) || loopsAt(nest, 'block', problem).length > AXES.length;

/** Decomposes an index into digits of a mixed radix; the last loop has the smallest place. */
function digits(loops: readonly Sized[], index: Expr): readonly Expr[] {
  let stride = 1;
  const found: Expr[] = [];
  for (const [i, { iterations }] of [...loops.entries()].toReversed()) {
    const shifted = div(index, int(stride));
    found.unshift(i === 0 ? shifted : mod(shifted, int(iterations)));
    stride *= iterations;
  }
  return found;
}

const extents = (loops: readonly Sized[]): Dim3 => {
  const [x = 1, y = 1, z = 1] = loops.map(({ iterations }) => iterations).toReversed();
  return { x, y, z };
};

export const gridExtents = (nest: LoopNest, problem: LoopProblem): Dim3 =>
  extents(loopsAt(nest, 'grid', problem));

export function blockExtents(nest: LoopNest, problem: LoopProblem): Dim3 {
  const loops = [...loopsAt(nest, 'block', problem), ...loopsAt(nest, 'warp', problem)];
  const x = loops.reduce((product, { iterations }) => product * iterations, 1);
  return isLinear(nest, problem) ? { x, y: 1, z: 1 } : extents(loops);
}

/** Returns the parallel loops of the grid, the loop along x first. */
export const gridLoops = (nest: LoopNest): readonly Loop[] =>
  nest.filter(({ level }) => level === 'grid').toReversed();
