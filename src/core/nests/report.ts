/** Facts about a loop nest, for the command line and the page. */
import { t } from '@vscode/l10n';
import type { Dim3 } from '../plan/plan';
import { cacheOf, countLines, isTraceable, SMALL_CACHE_BYTES, type LineCounts } from './cacheLines';
import { blockExtents, gridExtents } from './indices';
import { iterationsOf, variablesOf, type LoopNest, type LoopProblem } from './nest';
import { nestLines } from './nestLines';
import {
  accumulatorsOf,
  NEST_LIMITS,
  parallelViolations,
  sequentialViolations,
  sharedBytesOf,
  threadsOf,
  type NestViolation,
} from './rules';
import { nestText } from './text';

export interface LoopFacts {
  readonly variable: string;
  readonly iterations: number;
  /** Whether the iterations may run at the same time. */
  readonly parallel: boolean;
  readonly why: string;
}

export interface NestReport {
  readonly text: string;
  readonly lines: readonly string[];
  /** Null if the nest does not compute C. */
  readonly loops: readonly LoopFacts[] | null;
  readonly violations: {
    readonly sequential: readonly NestViolation[];
    readonly cuda: readonly NestViolation[];
    readonly wgsl: readonly NestViolation[];
  };
  /** Launch of the kernel; null if the nest cannot run in parallel. */
  readonly launch: {
    readonly grid: Dim3;
    readonly block: Dim3;
    readonly threads: number;
    readonly sharedBytes: number;
    /** Accumulators per thread; null if C holds them. */
    readonly accumulators: number | null;
  } | null;
  /** Null if the problem is too large to trace, or if the nest does not compute C. */
  readonly cacheLines: LineCounts | null;
}

export function nestReport(
  nest: LoopNest,
  problem: LoopProblem,
  cacheBytes = SMALL_CACHE_BYTES,
): NestReport {
  const sequential = sequentialViolations(nest);
  const isLegal = sequential.length === 0;
  const parallelIn = (target: 'cuda' | 'wgsl') =>
    isLegal ? parallelViolations(nest, problem, NEST_LIMITS[target]) : [];
  const [cuda, wgsl] = [parallelIn('cuda'), parallelIn('wgsl')];
  return {
    text: nestText(nest),
    lines: nestLines(nest),
    loops: isLegal ? loopFacts(nest, problem) : null,
    violations: { sequential, cuda, wgsl },
    launch:
      isLegal && cuda.length === 0
        ? {
            grid: gridExtents(nest, problem),
            block: blockExtents(nest, problem),
            threads: threadsOf(nest, problem),
            sharedBytes: sharedBytesOf(nest),
            accumulators: accumulatorsOf(nest, problem),
          }
        : null,
    cacheLines:
      isLegal && isTraceable(nest, problem) ? countLines(nest, problem, cacheOf(cacheBytes)) : null,
  };
}

const loopFacts = (nest: LoopNest, problem: LoopProblem): readonly LoopFacts[] => {
  const names = variablesOf(nest);
  return nest.map((loop, at) => ({
    variable: names[at] ?? '',
    iterations: iterationsOf(nest, loop, problem),
    parallel: loop.axis !== 'k',
    why:
      loop.axis === 'k'
        ? t('All iterations add to the same element of C, so they run one after another.')
        : loop.axis === 'i'
          ? t('Each iteration computes other rows of C.')
          : t('Each iteration computes other columns of C.'),
  }));
};
