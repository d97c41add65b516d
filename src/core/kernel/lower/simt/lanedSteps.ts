/** Lowers the steps of `vectorized` and later algorithms. */
import type { Statement } from '../../ir/ir';
import type { LanedPlan } from '../../../plan/plan';
import type { Step } from '../../../plan/steps';
import {
  prefetchOf,
  arrivedComment,
  STORED,
  isStaged,
  reuseComment,
  stagedComment,
} from '../comments';
import { storeFetchedTile, fetchTile } from '../fetch';
import { loadLaneFragment, multiplyLanes, zeroLanes } from '../mma/fragments';
import { comment, forLoop } from '../loops';
import { overlappedLoop } from '../overlapped';
import { prefetch, fillPipeline, lastTile, pipelineLoop, tileLoop } from '../pipeline';
import { gemvLoop, isGemv, zeroGemv } from './gemv';
import { reduceThreads } from './gemvReduction';
import { directKLoop, zeroDirect } from './registerTile';
import { stageTile, type At } from '../staging';
import { storeLanes } from './storeLanes';

export const lowerLanedSteps = (
  plan: LanedPlan,
  steps: readonly Step[],
  at: At,
): readonly Statement[] => steps.flatMap(step => lowerLanedStep(plan, step, at));

function lowerLanedStep(plan: LanedPlan, step: Step, at: At): readonly Statement[] {
  const under = (body: readonly Step[]) => (inside: At) => lowerLanedSteps(plan, body, inside);
  switch (step.op) {
    case 'zero':
      if (isGemv(plan)) return zeroGemv(plan);
      return plan.shared === undefined ? zeroDirect(plan) : zeroLanes(plan);
    case 'tiles':
      return tileLoop(plan, under(step.body));
    case 'fill':
      return fillPipeline(plan);
    case 'pipeline':
      return pipelineLoop(plan, under(step.body));
    case 'last':
      return lastTile(plan, under(step.body));
    case 'ahead':
      return prefetch(plan, prefetchOf(plan, step.body), under(step.body));
    case 'depth':
      return [
        ...reuseComment(plan, at),
        forLoop('k', at.depth, lowerLanedSteps(plan, step.body, at), {
          unroll: at.edge !== 'end' && depthsOf(plan),
        }),
      ];
    case 'loadTile':
      return [...stagedComment(plan, step.operand), ...stageTile(plan, step.operand, at)];
    case 'fetchTile':
      return fetchTile(plan, step.operand, at);
    case 'depositTile':
      return storeFetchedTile(plan, step.operand, at);
    case 'commit':
      return [{ op: 'commit' }];
    case 'wait':
      return [
        comment(arrivedComment(plan.lanes.stages)),
        { op: 'wait', pending: plan.lanes.stages - 2 },
      ];
    case 'barrier':
      return [...(isStaged(plan, at) ? [comment(STORED)] : []), { op: 'barrier' }];
    case 'loadFragment':
      return loadLaneFragment(plan, step.operand, at);
    case 'multiplyAdd':
      return multiplyLanes(plan);
    case 'direct':
      return isGemv(plan) ? gemvLoop(plan, at) : directKLoop(plan, at);
    case 'reduceThreads':
      return isGemv(plan) ? reduceThreads(plan) : [];
    case 'overlapped':
      return overlappedLoop(plan);
    case 'store':
      return storeLanes(plan);
  }
}

/**
 * Returns how the loop over k is unrolled. CUDA uses a pragma. In WGSL, most compilers keep the
 * loop, so `unroll: full` writes out its iterations.
 */
const depthsOf = ({ target, spec }: LanedPlan): true | 'written-out' =>
  target === 'wgsl' && spec.schedule.unroll === 'full' ? 'written-out' : true;
