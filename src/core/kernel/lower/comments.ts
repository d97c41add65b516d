/** What is said between the statements of a kernel: why, where the text alone does not tell. */
import type { Statement } from '../ir/ir';
import type { LanedPlan, PipelinedPlan, Plan } from '../../plan/plan';
import { pipelineFor, type Step } from '../../plan/steps';
import { comment } from './loops';
import * as name from './names';
import type { At } from './staging';

/** What the only barrier of a pipeline's step is good for. */
export const ARRIVED =
  'This tile has arrived, and nobody reads the one before it, whose stage is filled next.';
export const DEPOSITED = 'The next tile is whole, and nobody reads this one any more.';
export const isInRing = (plan: PipelinedPlan, at: At): boolean =>
  at.stage !== undefined && pipelineFor(plan).copies !== 'asynchronous';

/** Says where a tile of a kernel without stages is turned over. */
export function stagedComment(plan: LanedPlan, operand: 'a' | 'b'): readonly Statement[] {
  const { copies, [operand]: staged } = plan.lanes;
  const label = operand === 'a' ? 'A' : 'B';
  if (copies !== 'direct') return [];
  const { transposed, width, pieces } = staged;
  const way = !transposed
    ? '.'
    : pieces > 1
      ? `, transposed: ${pieces} x ${width} elements at a time.`
      : width > 1
        ? `, transposed: each load is spread over ${width} rows of ${label}s.`
        : ', transposed.';
  return [comment(`Stage a tile of ${label}${way}`)];
}

export function aheadOf(plan: PipelinedPlan, body: readonly Step[]) {
  const deposits = body[0]?.op === 'depositTile';
  const label = deposits
    ? pipelineFor(plan).stages === 1
      ? 'The next tile, from registers into the place of this one, which nobody reads any more.'
      : 'The next tile, from registers into the other stage.'
    : body[0]?.op === 'fetchTile'
      ? 'The next tile, from global memory into registers.'
      : pipelineFor(plan).stages === 2
        ? 'The next tile, into the other stage.'
        : 'A later tile, into the stage that was multiplied last.';
  return { label, fromMemory: !deposits };
}

/** Why a thread has more than one result, said once a kernel. */
export function reuseComment(plan: Plan, { edge, once }: At): readonly Statement[] {
  if (!name.isThreadTiled(plan) || edge === 'end' || once !== undefined) return [];
  const { m, n } = plan.thread;
  return [comment(`A step of k: ${m} + ${n} values from shared memory, ${m * n} multiply-adds.`)];
}

export function stagingComment(plan: Plan): string {
  const { m, n } = plan.guards;
  return m || n
    ? 'Stage a tile of A and of B in shared memory, zero past the edges.'
    : 'Stage a tile of A and of B in shared memory.';
}
