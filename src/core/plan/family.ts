/** Sub-plans of a kernel family, for code that treats several families alike; null where the family has none. */
import type { FragmentPlan, KernelFamily, LanePlan, MatrixPlan } from './plan';

/** Returns the lane plan of SIMT kernels from `vectorized` on. */
export const lanePlanIn = (plan: KernelFamily): LanePlan | null =>
  plan.family === 'simt' ? plan.lanes : null;

/** Returns the matrices that a warp multiplies with `mma`. */
export const matrixPlanIn = (plan: KernelFamily): MatrixPlan | null =>
  plan.family === 'mma' || plan.family === 'subgroup-matrix' ? plan.matrix : null;

/** Returns the fragments that each lane holds. */
export const fragmentPlanIn = (plan: KernelFamily): FragmentPlan | null =>
  plan.family === 'mma' ? plan.fragments : null;
