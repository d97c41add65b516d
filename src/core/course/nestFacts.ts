/** Facts about a loop nest that goals of nest tasks use. */
import { countLines, missesOf, type Cache } from '../nests/cacheLines';
import { blockExtents, gridExtents } from '../nests/indices';
import type { LoopNest, LoopProblem } from '../nests/nest';
import { accumulatorsOf, sharedTile, threadsOf } from '../nests/rules';

/** A cache that one can follow by hand: 16 lines, each with 4 elements of 4 bytes. */
export const SMALL_CACHE: Cache = { lineBytes: 16, lines: 16 };

export interface NestFacts {
  readonly nest: LoopNest;
  readonly problem: LoopProblem;
  /** Number of lines loaded into the small cache. */
  readonly loadedLines: number;
  readonly blocks: number;
  readonly threads: number;
  /** Accumulators per thread; null if their number depends on the problem. */
  readonly accumulators: number | null;
  readonly shared: ReturnType<typeof sharedTile>;
}

export const loadedLinesOf = (nest: LoopNest, problem: LoopProblem): number =>
  missesOf(countLines(nest, problem, SMALL_CACHE));

export function nestFacts(nest: LoopNest, problem: LoopProblem): NestFacts {
  const grid = gridExtents(nest, problem);
  const block = blockExtents(nest, problem);
  return {
    nest,
    problem,
    loadedLines: loadedLinesOf(nest, problem),
    blocks: grid.x * grid.y * grid.z,
    threads: Math.max(threadsOf(nest, problem), block.x * block.y * block.z),
    accumulators: accumulatorsOf(nest, problem),
    shared: sharedTile(nest),
  };
}
