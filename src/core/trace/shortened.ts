/** A kernel with few k-iterations, whose block is traced in place of the whole kernel. */
import { t } from '@vscode/l10n';
import { emit } from '../kernel/emit';
import { isLowered, type Kernel, type LoweredKernel } from '../kernel/kernel';
import { plan } from '../plan/planner';
import { isTraceable } from './traceBlock';

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
 * reason for kernels that cannot be traced.
 */
export function shortened({ plan: planned, spec, target }: Kernel): Shortened {
  const { problem, schedule } = spec;
  const tileK = planned.tile.k === 0 ? UNTILED_K : planned.tile.k;
  const { m, n } = planned.tile;
  const iterations = Math.max(
    2,
    Math.min(STEADY_ITERATIONS + (schedule.stages ?? 1), Math.floor(MAX_FMAS / (m * n * tileK))),
  );
  const k = Math.min(problem.k, iterations * tileK + (problem.k % tileK));
  const unsplit = Object.fromEntries(
    Object.entries(schedule).filter(([field]) => !field.startsWith('splitK')),
  ) as typeof schedule;
  const short = plan({ ...spec, problem: { ...problem, k }, schedule: unsplit }, target);
  if (!short.ok) return { ok: false, why: short.violations[0]?.message ?? '' };
  const kernel = emit(short.plan);
  return isLowered(kernel) && isTraceable(kernel.ir)
    ? { ok: true, kernel }
    : { ok: false, why: t('FP32 emulation multiplies terms of elements, which are not traced.') };
}
