/**
 * Numerics contract of a kernel: the accumulation order of the elements of C, and its consequences.
 * The order depends on K and the schedule only, never on M, N or the batch.
 */
import { lanePlanIn, matrixPlanIn } from './family';
import type { GemvPlan, Plan } from './plan';

export interface Numerics {
  /** Whether repeated runs with the same inputs return the same bits. */
  readonly deterministic: boolean;
  /** Whether the bits of a row or column of C are independent of M, N, the batch and its index. */
  readonly batchInvariant: boolean;
  /** Accumulation order of an element of C, as one or more sentences. */
  readonly order: string;
}

export function numericsOf(plan: Plan): Numerics {
  const isOrdered = plan.split?.reduction !== 'atomic';
  const gemv = lanePlanIn(plan)?.gemv;
  const isReduced = gemv !== undefined && gemv.threads.k > 1;
  return {
    deterministic: isOrdered,
    batchInvariant: isOrdered,
    order: isReduced
      ? gemvOrder(plan, gemv)
      : `Each element of C adds ${addends(plan)} in ascending order of k${slices(plan)}${passes(plan)}.`,
  };
}

function addends(plan: Plan): string {
  const instruction = plan.family === 'wgmma' ? plan.wgmma.shape : matrixPlanIn(plan)?.shape;
  return instruction === undefined
    ? 'its products'
    : `the results of its K = ${instruction.k} instructions`;
}

/** Returns the order of `gemv`, whose threads along K reduce their results in a fixed order. */
function gemvOrder({ split }: Plan, { lanesK, partials }: GemvPlan): string {
  const inPairs = `The partial results of ${lanesK} lanes are added in pairs`;
  const ascending = `${partials} partial results per element are added in ascending order`;
  const reduced =
    lanesK === 1 ? ascending : partials === 1 ? inPairs : `${inPairs}. Then ${ascending}`;
  const slices =
    split === undefined
      ? ''
      : split.reduction === 'atomic'
        ? ' atomicAdd adds the slices in no fixed order.'
        : ' The slices are added in ascending order.';
  return `Each thread along K adds its products in ascending order of k. ${reduced}.${slices}`;
}

function slices(plan: Plan): string {
  const isSplit = plan.split !== undefined || (plan.family === 'wgmma' && plan.wgmma.splitK > 1);
  if (!isSplit) return '';
  return plan.split?.reduction === 'atomic'
    ? ' within a K slice; atomicAdd adds the slices in no fixed order'
    : ' within a K slice, then adds the slices in ascending order';
}

const passes = (plan: Plan): string =>
  plan.family === 'wgmma' && plan.wgmma.fp32Emulation !== undefined
    ? ', in one pass over K per pair of terms'
    : '';

/** Returns the contract as sentences. */
export function numericsText(plan: Plan): string {
  const { deterministic, order } = numericsOf(plan);
  const bits = deterministic
    ? 'Results are bitwise reproducible and batch-invariant.'
    : 'Results are not bitwise reproducible: the last bits of C may differ between runs.';
  return `${bits} ${order}`;
}
