/** Lowers the steps of `mma` on CUDA tensor cores. */
import type { Statement } from '../../ir/ir';
import type { MmaPlan } from '../../../plan/plan';
import type { Step } from '../../../plan/steps';
import { prefetchOf, arrivedComment, STORED, isStaged } from '../comments';
import { fragmentKSteps, fragmentPipeline } from './fragmentLoop';
import { storeNext, fetchNext, stageWords } from './fragmentStaging';
import { zeroFragments } from './fragmentTiles';
import { comment } from '../loops';
import { prefetch, fillPipeline, lastTile, pipelineLoop } from '../pipeline';
import type { At } from '../staging';
import { storeFragments } from './storeFragments';

export const lowerFragmentSteps = (
  plan: MmaPlan,
  steps: readonly Step[],
  at: At,
): readonly Statement[] => steps.flatMap(step => lowerStep(plan, step, at));

function lowerStep(plan: MmaPlan, step: Step, at: At): readonly Statement[] {
  const under = (body: readonly Step[]) => (inside: At) => lowerFragmentSteps(plan, body, inside);
  switch (step.op) {
    case 'zero':
      return zeroFragments(plan);
    case 'fill':
      return fillPipeline(plan);
    case 'pipeline':
      return pipelineLoop(plan, under(step.body));
    case 'overlapped':
      return fragmentPipeline(plan);
    case 'last':
      return lastTile(plan, under(step.body));
    case 'ahead':
      return prefetch(plan, prefetchOf(plan, step.body), under(step.body));
    case 'loadTile':
      return stageWords(plan, step.operand, at);
    case 'fetchTile':
      return fetchNext(plan, step.operand, at);
    case 'depositTile':
      return storeNext(plan, step.operand, at);
    case 'depth':
      return fragmentKSteps(plan, at);
    case 'commit':
      return [{ op: 'commit' }];
    case 'wait':
      return [
        comment(arrivedComment(plan.fragments.stages)),
        { op: 'wait', pending: plan.fragments.stages - 2 },
      ];
    case 'barrier':
      return [...(isStaged(plan, at) ? [comment(STORED)] : []), { op: 'barrier' }];
    case 'store':
      return storeFragments(plan);
    default:
      throw new Error(`Algorithm ${plan.algorithm} has no step ${step.op}`);
  }
}
