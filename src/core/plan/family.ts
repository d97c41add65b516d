/**
 * Accessors for the sub-plans of a kernel family. They return null if the family has no such
 * sub-plan.
 */
import type { FragmentPlan, KernelFamily, LanePlan, MatrixPlan } from './plan';

/** Returns the lane plan of `register-tile` and later SIMT kernels. */
export const lanePlanIn = (plan: KernelFamily): LanePlan | null =>
  plan.family === 'simt' ? plan.lanes : null;

/** Returns the matrix plan of `mma` kernels in CUDA and WGSL. */
export const matrixPlanIn = (plan: KernelFamily): MatrixPlan | null =>
  plan.family === 'mma' || plan.family === 'subgroup-matrix' ? plan.matrix : null;

export const fragmentPlanIn = (plan: KernelFamily): FragmentPlan | null =>
  plan.family === 'mma' ? plan.fragments : null;
