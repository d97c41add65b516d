/** What a kernel asks of the hardware for its whole problem: derived from its plan and its accesses, never measured. */
import type { Kernel } from '../emit/kernel';
import type { Analysis, GlobalAccess, SharedAccess } from '../analysis/analysis';
import { loadedDepth } from '../analysis/traffic';
import { DTYPE_BYTES } from '../spec/dtype';
import type { Plan } from '../plan/plan';

const WARP = 32;

export interface Demand {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  /** 32-byte sectors that loads of A and B ask of the caches. */
  readonly globalSectors: number;
  /** Requests of warps for A and B from global memory. */
  readonly globalRequests: number;
  /** Wavefronts of the shared-memory pipe, stores and loads; 0 without shared memory. */
  readonly sharedWavefronts: number;
  /** Load instructions of warps from shared memory. */
  readonly sharedRequests: number;
  /** Barriers that a block waits at. */
  readonly barriers: number;
}

type Operand = 'a' | 'b';
const OPERANDS: readonly Operand[] = ['a', 'b'];

export function demandOf(kernel: Kernel, analysis: Analysis): Demand {
  const { plan } = kernel;
  const steps = plan.tile.k === 0 ? 0 : Math.ceil(plan.spec.problem.k / plan.tile.k);
  const sum = (of: (operand: Operand) => number): number =>
    OPERANDS.reduce((total, operand) => total + of(operand), 0);
  const requests = (operand: Operand): number => globalRequests(plan, analysis, operand, steps);
  const stores = (operand: Operand): number => sharedStores(plan, analysis, operand, steps);
  const loads = (operand: Operand): number => sharedLoads(plan, analysis, operand);
  const sectors = (operand: Operand): number =>
    requests(operand) * (globalLoad(analysis, operand)?.sectorsPerRequest ?? 0);
  const wavefronts = (operand: Operand): number =>
    stores(operand) * (shared(analysis, operand, 'store')?.wavefrontsPerRequest ?? 0) +
    loads(operand) * (shared(analysis, operand, 'load')?.wavefrontsPerRequest ?? 0);
  return {
    ...{ kernel, analysis },
    globalSectors: sum(sectors),
    globalRequests: sum(requests),
    sharedWavefronts: sum(wavefronts),
    sharedRequests: sum(loads),
    barriers:
      plan.shared === undefined
        ? 0
        : steps * (plan.laned !== undefined && plan.laned.copies !== 'direct' ? 1 : 2),
  };
}

/** The main loop's: sites stand in the order of execution. */
export const globalLoad = (
  { globalMemory }: Analysis,
  operand: Operand,
): GlobalAccess | undefined =>
  globalMemory.find(access => access.operand === operand && access.op === 'load');

export const shared = (
  { sharedMemory }: Analysis,
  operand: Operand,
  op: SharedAccess['op'],
): SharedAccess | undefined =>
  sharedMemory.find(access => access.operand === operand && access.op === op);

const blocks = ({ grid }: Plan): number => grid.x * grid.y * grid.z;

/** Elements that a lane moves with one access. */
const elements = (plan: Plan, operand: Operand, widthBytes: number | undefined): number =>
  Math.max(1, (widthBytes ?? 0) / DTYPE_BYTES[plan.spec.problem[operand].dtype]);

function globalRequests(plan: Plan, analysis: Analysis, operand: Operand, steps: number): number {
  if (plan.shared === undefined) {
    const side = operand === 'a' ? plan.thread.m : plan.thread.n;
    const depth = operand === 'a' ? loadedDepth(plan) : plan.spec.problem.k;
    const width = elements(plan, operand, globalLoad(analysis, operand)?.widthBytes);
    return ((blocks(plan) * plan.threads) / WARP) * depth * (side / width);
  }
  return tileRequests(plan, operand, steps, globalLoad(analysis, operand)?.widthBytes);
}

const sharedStores = (plan: Plan, analysis: Analysis, operand: Operand, steps: number): number =>
  plan.shared === undefined
    ? 0
    : tileRequests(plan, operand, steps, shared(analysis, operand, 'store')?.widthBytes);

/** Each element of each tile is moved by one lane. */
function tileRequests(
  plan: Plan,
  operand: Operand,
  steps: number,
  widthBytes: number | undefined,
): number {
  const side = operand === 'a' ? plan.tile.m : plan.tile.n;
  const lanes = (side * plan.tile.k) / elements(plan, operand, widthBytes);
  return (blocks(plan) * steps * lanes) / WARP;
}

/** A thread reads its rows of A and its columns of B for each step of K. */
function sharedLoads(plan: Plan, analysis: Analysis, operand: Operand): number {
  if (plan.shared === undefined) return 0;
  const side = operand === 'a' ? plan.thread.m : plan.thread.n;
  const width = elements(plan, operand, shared(analysis, operand, 'load')?.widthBytes);
  return ((blocks(plan) * plan.threads) / WARP) * plan.spec.problem.k * (side / width);
}
