/** How a plan's tiles come to shared memory, of kernels that have more of them under way. */
import type { Plan } from '../../plan/plan';
import { pipelineOf, type Pipeline } from '../../plan/steps';

export function pipelineFor(plan: Plan): Pipeline {
  const pipeline = pipelineOf(plan);
  if (pipeline === undefined) throw new Error(`${plan.algorithm} was planned without a pipeline`);
  return pipeline;
}
