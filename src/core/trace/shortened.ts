/** A kernel with few k-iterations, whose block is traced in place of the whole kernel. */
import { emit } from '../kernel/emit';
import { isLowered, type Kernel, type LoweredKernel } from '../kernel/kernel';
import { fragmentPlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';
import { plan } from '../plan/planner';
import type { ResolvedProblem } from '../spec/resolved';

/** Number of k-iterations that are traced after the pipeline is filled. */
const STEADY_ITERATIONS = 2;
/** Maximum number of FMAs per thread block, unless fewer than two k-iterations would remain. */
const MAX_FMAS = 2 ** 20;
/** Extent along K for kernels without a tile along K. */
const UNTILED_K = 8;

export type Shortened =
  | { readonly ok: true; readonly kernel: LoweredKernel }
  | { readonly ok: false; readonly why: string };

/**
 * Returns the kernel of the same schedule for a smaller K, without split-K. The remainder of K
 * after whole tiles is kept, so that the kernel has the same bounds checks. Returns the
 * reason for kernels that cannot be planned.
 *
 * @param iterations number of k-iterations; by default as many as the steps show
 */
export function shortened(whole: Kernel, iterations = tracedIterations(whole)): Shortened {
  const { spec, plan: planned } = whole;
  const tileK = tileDepth(planned);
  const k = Math.min(spec.problem.k, iterations * tileK + (spec.problem.k % tileK));
  return withProblem(whole, { ...spec.problem, k });
}

/** Returns the kernel of the same schedule for another problem, without split-K. */
export function withProblem({ spec, target }: Kernel, problem: ResolvedProblem): Shortened {
  const { schedule } = spec;
  const unsplit = Object.fromEntries(
    Object.entries(schedule).filter(([field]) => !field.startsWith('splitK')),
  ) as typeof schedule;
  const short = plan({ ...spec, problem, schedule: unsplit }, target);
  if (!short.ok) return { ok: false, why: short.violations[0]?.message ?? '' };
  const kernel = emit(short.plan);
  if (!isLowered(kernel)) throw new Error('A kernel with a declared model has no steps.');
  return { ok: true, kernel };
}

const tileDepth = ({ tile }: Plan): number => (tile.k === 0 ? UNTILED_K : tile.k);

function tracedIterations({ plan: planned, spec: { schedule } }: Kernel): number {
  const { m, n } = planned.tile;
  const fmasPerProduct = fragmentPlanIn(planned)?.fp32Emulation?.products.length ?? 1;
  const fmas = m * n * tileDepth(planned) * fmasPerProduct;
  const steady = STEADY_ITERATIONS + (schedule.stages ?? 1);
  return Math.max(2, Math.min(steady, Math.floor(MAX_FMAS / fmas)));
}
