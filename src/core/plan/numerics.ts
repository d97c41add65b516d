/**
 * Numerics contract of a kernel: the accumulation order of the elements of C, and its consequences.
 * The order depends on K and the schedule only, never on M, N or the batch.
 */
import { lanePlanIn, matrixPlanIn } from './family';
import type { Plan } from './plan';

export interface Numerics {
  /** Whether repeated runs with the same inputs return the same bits. */
  readonly deterministic: boolean;
  /** Whether the bits of a row or column of C are independent of M, N, the batch and its index. */
  readonly batchInvariant: boolean;
  /** Accumulation order of an element of C, as one sentence. */
  readonly order: string;
}

export function numericsOf(plan: Plan): Numerics {
  const isOrdered = plan.split?.reduction !== 'atomic';
  return {
    deterministic: isOrdered,
    batchInvariant: isOrdered,
    order: `Each element of C adds ${addends(plan)} in ascending order of k${threads(plan)}${slices(plan)}${passes(plan)}.`,
  };
}

function addends(plan: Plan): string {
  const instruction = plan.family === 'wgmma' ? plan.wgmma.shape : matrixPlanIn(plan)?.shape;
  return instruction === undefined
    ? 'its products'
    : `the results of its K = ${instruction.k} instructions`;
}

/** Describes the reduction over the threads along K of a `gemv` block. */
function threads(plan: Plan): string {
  const { lanesK = 1, partials = 1 } = lanePlanIn(plan)?.gemv ?? {};
  return [
    ...(lanesK * partials === 1 ? [] : [' within each of the threads along K']),
    ...(lanesK === 1 ? [] : [`, then the partial sums of ${lanesK} lanes in pairs`]),
    ...(partials === 1 ? [] : [`, then ${partials} partial sums in ascending order`]),
  ].join('');
}

function slices(plan: Plan): string {
  const isSplit = plan.family === 'wgmma' ? plan.wgmma.splitK > 1 : plan.split !== undefined;
  if (!isSplit) return '';
  return plan.split?.reduction === 'atomic'
    ? ' within a K slice; atomicAdd adds the slices in no fixed order'
    : ' within a K slice, then adds the slices in ascending order';
}

const passes = (plan: Plan): string =>
  plan.family === 'wgmma' && plan.wgmma.fp32Emulation !== undefined
    ? ', in one pass over K per pair of terms'
    : '';

/** Returns the contract as two sentences. */
export function numericsText(plan: Plan): string {
  const { deterministic, order } = numericsOf(plan);
  const bits = deterministic
    ? 'Results are bitwise reproducible and batch-invariant.'
    : 'Results are not bitwise reproducible: the last bits of C may differ between runs.';
  return `${bits} ${order}`;
}
