/** Print options of a plan's kernels. */
import { lanePlanIn } from '../../plan/family';
import type { Plan } from '../../plan/plan';
import type { PrintOptions } from './dialect';

export const printOptionsOf = (plan: Plan): PrintOptions => ({
  wideOffsets: plan.wideOffsets,
  dynamicShared: plan.dynamicShared,
  boundsBlocks: plan.minBlocksPerSm !== undefined,
  workgroupSize: { main: mainSize(plan), pass: passSize(plan) },
  subgroups: lanePlanIn(plan)?.sharing === 'quad',
});

const mainSize = ({ block, threadMap }: Plan): string =>
  block.y === 1 ? 'THREADS' : threadMap === 'x-rows' ? 'BM, BN' : 'BN, BM';

const passSize = ({ spec }: Plan): string =>
  spec.problem.c.layout === 'row' ? 'RN, RM' : 'RM, RN';
