/**
 * Distribution of a `gemv` block over its threads. The threads form a grid along N and K. Each
 * thread holds all rows of C in registers, and accumulates every threads.k-th run of k values. The
 * partial results of the threads along K are then reduced.
 */
import { WARP_LANES } from '../../hardware/warp';
import { DTYPE_BYTES } from '../../types/dtype';
import { productsOf } from '../../spec/epilogue';
import { extent, type ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import type { GemvPlan, LanePlan, Plan, StagedOperand } from '../plan';
import { aligned, furtherStrides, widest } from './lanes';

/** Maximum number of rows of A and C: each thread holds all rows in registers. */
export const MAX_ROWS = 4;

type Tiles = Pick<Plan, 'tile' | 'thread'>;

export function gemvLanes(spec: ResolvedSpec, target: Target, { tile, thread }: Tiles): LanePlan {
  const { schedule } = spec;
  const depth = schedule.thread?.k ?? 1;
  const [a, b] = (['a', 'b'] as const).map(operand =>
    loadsOf(spec, { operand, target, thread: { ...thread, k: depth } }),
  ) as [StagedOperand, StagedOperand];
  const gemv = distributionOf(spec, target, {
    threads: { n: Math.ceil(tile.n / thread.n), k: Math.max(1, Math.ceil(tile.k / depth)) },
    depth,
    isAlongK: b.transposed,
    run: runOf(spec, target, { a, b, depth }),
    results: tile.m * tile.n,
  });
  return {
    warp: { m: tile.m, n: tile.n },
    lanes: { m: 1, n: gemv.threads.n },
    quads: false,
    group: { m: thread.m, n: b.transposed ? 1 : b.width },
    vector: schedule.vector ?? 1,
    stages: 1,
    fragments: 1,
    copies: 'direct',
    a,
    b,
    storeWidth: 1,
    gemv,
  };
}

/**
 * Returns the run length: the widest vector along K of an operand with contiguous K. It depends on
 * K and the schedule only, and not on strides, so that the accumulation order does not either.
 */
function runOf(
  { problem, schedule }: ResolvedSpec,
  target: Target,
  { depth, ...operands }: Readonly<Record<'a' | 'b', StagedOperand>> & { readonly depth: number },
): number {
  const widths = (['a', 'b'] as const).map(operand => {
    const most = Math.min(
      schedule.vector ?? 1,
      widest(DTYPE_BYTES[problem[operand].dtype], target),
    );
    return operands[operand].transposed ? aligned(most, [problem.k, depth]) : 1;
  });
  return Math.max(...widths);
}

function distributionOf(
  { problem }: ResolvedSpec,
  target: Target,
  given: Pick<GemvPlan, 'threads' | 'depth' | 'isAlongK' | 'run'> & { readonly results: number },
): GemvPlan {
  const { results, ...common } = given;
  const { threads, isAlongK } = given;
  const lanesK = Math.min(threads.k, isAlongK ? WARP_LANES : Math.floor(WARP_LANES / threads.n));
  // In WGSL, shuffles are an optional feature, so workgroup memory holds all partial results.
  const shuffled = target === 'cuda' ? Math.max(1, lanesK) : 1;
  const partials = Math.ceil(threads.k / shuffled);
  return {
    ...common,
    lanesK: shuffled,
    partials,
    bytes:
      partials === 1
        ? 0
        : productsOf(problem) * partials * results * DTYPE_BYTES[problem.accumulator],
  };
}

/** Returns the access width of an operand. `transposed`: K is the contiguous dimension. */
function loadsOf(
  spec: ResolvedSpec,
  given: {
    readonly operand: 'a' | 'b';
    readonly target: Target;
    readonly thread: Readonly<Record<'m' | 'n' | 'k', number>>;
  },
): StagedOperand {
  const { operand, target, thread } = given;
  const { problem, schedule } = spec;
  const { layout, ld, dtype } = problem[operand];
  const transposed = (operand === 'a') === (layout === 'row');
  const { rows, columns } = extent(problem, operand);
  const most = Math.min(schedule.vector ?? 1, widest(DTYPE_BYTES[dtype], target));
  const width = aligned(most, [
    ld,
    layout === 'row' ? columns : rows,
    transposed ? thread.k : operand === 'a' ? thread.m : thread.n,
    ...furtherStrides(problem, operand),
  ]);
  return { transposed, width, loadsPerStore: 1, fragment: width, fragmentStride: 1, swizzle: 1 };
}
