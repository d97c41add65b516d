/** Computes the hardware demand of a kernel for its whole problem from its plan and accesses. */
import type { Kernel } from '../../kernel/kernel';
import type { Analysis } from '../../report/analysis';
import { WARP_LANES } from '../../hardware/warp';
import type { Plan } from '../../plan/plan';
import { pipelineOf } from '../../plan/steps';
import type { GlobalAccess, SharedAccess } from '../../memory/access';

export interface Demand {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  /** 32-byte sectors requested from the caches by loads of A and B. */
  readonly globalSectors: number;
  /** Bytes of A and B that threads load from global memory. */
  readonly globalBytes: number;
  /** 32-byte sectors written by stores of C. */
  readonly storedSectors: number;
  /** Warp-level load requests for A and B from global memory. */
  readonly globalRequests: number;
  /** Shared-memory wavefronts of stores and loads of A and B; 0 without shared memory. */
  readonly sharedWavefronts: number;
  /** Warp-level load requests for A and B from shared memory. */
  readonly sharedRequests: number;
  readonly barriers: number;
}

type Operand = 'a' | 'b' | 'c';

export function demandOf(kernel: Kernel, analysis: Analysis): Demand {
  const sum = <T>(sites: readonly T[], of: (site: T) => number): number =>
    sites.reduce((total, site) => total + of(site), 0);
  const loads = analysis.globalMemory.filter(({ operand, op }) => operand !== 'c' && op === 'load');
  const staged = analysis.sharedMemory.filter(({ operand }) => operand !== 'c');
  const requests = (site: { readonly requests: number }): number => site.requests;
  return {
    kernel,
    analysis,
    barriers: barriersOf(kernel.plan),
    globalSectors: sum(loads, site => site.requests * site.sectorsPerRequest),
    globalBytes: sum(loads, site => site.requests * WARP_LANES * site.widthBytes),
    storedSectors: sum(
      analysis.globalMemory.filter(({ operand, op }) => operand === 'c' && op === 'store'),
      site => site.requests * site.sectorsPerRequest,
    ),
    globalRequests: sum(loads, requests),
    sharedWavefronts: sum(staged, site => site.requests * site.wavefrontsPerRequest),
    sharedRequests: sum(
      staged.filter(({ op }) => op === 'load'),
      requests,
    ),
  };
}

/**
 * Counts block-wide barriers per block in the main loop: one per k-iteration in a multi-stage
 * pipeline, otherwise two; 0 without shared memory.
 */
function barriersOf(plan: Plan): number {
  // Warp groups wait on the mbarriers of pipeline stages, not on block-wide barriers.
  if (plan.shared === undefined || plan.family === 'wgmma') return 0;
  const { stages = 1 } = pipelineOf(plan) ?? {};
  return Math.ceil(plan.spec.problem.k / plan.tile.k) * (stages > 1 ? 1 : 2);
}

/** Returns the first matching site in execution order; undefined if no site matches. */
export const globalSite = (
  { globalMemory }: Analysis,
  operand: Operand,
  op: GlobalAccess['op'],
): GlobalAccess | undefined =>
  globalMemory.find(access => access.operand === operand && access.op === op);

export const shared = (
  { sharedMemory }: Analysis,
  operand: Operand,
  op: SharedAccess['op'],
): SharedAccess | undefined =>
  sharedMemory.find(access => access.operand === operand && access.op === op);
