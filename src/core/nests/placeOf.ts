/** The thread block and the thread that compute an element of C. */
import type { Dim3 } from '../plan/plan';
import { blockExtents } from './indices';
import { iterationsOf, parentStep, type Level, type LoopNest, type LoopProblem } from './nest';

export interface Place {
  readonly block: Dim3;
  /** Linear index of the thread in its block, x fastest. */
  readonly thread: number;
}

/** Returns the place where a nest computes C(i, j). The nest has no parallel violations. */
export function placeOf(
  nest: LoopNest,
  problem: LoopProblem,
  element: { readonly i: number; readonly j: number },
): Place {
  const digitsAt = (level: Level): readonly { readonly digit: number; readonly of: number }[] =>
    nest.flatMap(loop => {
      if (loop.level !== level || loop.axis === 'k') return [];
      const within = element[loop.axis] % (parentStep(nest, loop) ?? Infinity);
      return [{ digit: Math.floor(within / loop.step), of: iterationsOf(nest, loop, problem) }];
    });
  const [x = 0, y = 0, z = 0] = digitsAt('grid')
    .map(({ digit }) => digit)
    .toReversed();
  const thread = [...digitsAt('block'), ...digitsAt('warp')].reduce(
    (index, { digit, of }) => index * of + digit,
    0,
  );
  return { block: { x, y, z }, thread: thread % threadCount(nest, problem) };
}

function threadCount(nest: LoopNest, problem: LoopProblem): number {
  const { x, y, z } = blockExtents(nest, problem);
  return x * y * z;
}
