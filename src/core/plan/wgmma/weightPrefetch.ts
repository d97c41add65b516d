/**
 * Weight prefetch (`launch: 'prefetch'`): while the previous kernel of the stream ends, a kernel
 * loads its first weights into the L2 cache. The source is example 63 of CUTLASS, "Hopper GEMM with
 * weight prefetch".
 */
import { t } from '@vscode/l10n';
import { gateOf } from '../../spec/epilogue';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import { isSpecialized } from './specialization';
import type { BoxedOperand, WgmmaPlan } from './wgmmaPlan';
import { computedRule } from './wgmmaRule';

/**
 * Bytes of weights that a block loads in advance. More bytes delay the loads of the previous
 * kernel (bench/h200-weight-prefetch.json).
 */
const PREFETCHED_BYTES = 64 * 1024;

/** Whether the launch is a programmatic dependent launch. */
export const isProgrammaticLaunch = ({ launch }: Pick<ResolvedSchedule, 'launch'>): boolean =>
  launch === 'programmatic' || launch === 'prefetch';

/** Returns the operand with the longer side of C: the weights if there are few tokens. */
export const weightsOf = ({ m, n }: Pick<ResolvedProblem, 'm' | 'n'>): 'a' | 'b' =>
  m > n ? 'a' : 'b';

/** Returns the number of k-iterations with prefetched weights. No tile exceeds 48 KiB. */
export const prefetchedSteps = ({ bytes }: Pick<BoxedOperand, 'bytes'>): number =>
  Math.floor(PREFETCHED_BYTES / bytes);

const obstacle = (
  { kernelSchedule, fp32Emulation, a, b }: WgmmaPlan,
  problem: ResolvedProblem,
): string | undefined => {
  if (!isSpecialized({ kernelSchedule })) return t('a kernel with warp specialization');
  if (fp32Emulation !== undefined) return t('operands without FP32 emulation');
  if (gateOf(problem) !== undefined) return t('an epilogue without a gate');
  return { a, b }[weightsOf(problem)].repacked === undefined
    ? undefined
    : t('weights that TMA loads without repacking');
};

/** Checks that the weights exist unchanged before the kernel starts. */
export const weightPrefetch = computedRule('launch', ({ spec, wgmma }) => {
  if (spec.schedule.launch !== 'prefetch') return [];
  const needed = obstacle(wgmma, spec.problem);
  if (needed === undefined) return [];
  const message = t('Weight prefetch requires {0}.', needed);
  return [{ path: 'schedule.launch', message, nearest: 'programmatic' }];
});
