/** Comments that are emitted between the statements of a kernel. */
import type { Statement } from '../ir/ir';
import type { LanedPlan, PipelinedPlan, Plan } from '../../plan/plan';
import { pipelineFor, type Step } from '../../plan/steps';
import { comment } from './loops';
import * as name from './names';
import type { At } from './staging';

export const arrivedComment = (stages: number): string =>
  `Wait for the copies of tile t (${inFlight(stages - 2)} left in flight). The barrier makes them visible to all threads and frees the stage that is refilled next.`;

export const inFlight = (groups: number): string =>
  groups === 0
    ? 'no cp.async group'
    : `at most ${groups} newer cp.async group${groups === 1 ? '' : 's'}`;

/** @param again whether the last tile is copied again past the end of K */
export const laterTileComment = (stages: number, again: boolean): string =>
  `Prefetch the ${stages === 2 ? 'next tile' : `tile ${stages - 1} iterations ahead`} into the stage that was freed last${again ? '; past the end of K, recopy the last tile' : ''}.`;

export const firstFragmentsComment = (stages: number): string =>
  `Load the first fragments once the first tile has arrived (${inFlight(stages - 2)} left in flight).`;

export const nextTileComment = (stages: number): string =>
  `Wait for the next tile (${inFlight(stages - 2)} left in flight). The barrier also frees the stage that is refilled next.`;

export const DRAIN = 'Drain: wait for the redundant copies at the end of K.';

export const STORED =
  'After this barrier the next tile is complete, and no thread reads the current tile any longer.';
export const isStaged = (plan: PipelinedPlan, at: At): boolean =>
  at.stage !== undefined && pipelineFor(plan).copies !== 'asynchronous';

export function stagedComment(plan: LanedPlan, operand: 'a' | 'b'): readonly Statement[] {
  const { copies, [operand]: staged } = plan.lanes;
  const label = operand === 'a' ? 'A' : 'B';
  if (copies !== 'direct') return [];
  const { transposed, width, loadsPerStore } = staged;
  const way = !transposed
    ? '.'
    : loadsPerStore > 1
      ? `, transposed in blocks of ${loadsPerStore} x ${width} elements.`
      : width > 1
        ? `, transposed: each vectorized load is scattered to ${width} rows of ${label}s.`
        : ', transposed.';
  return [comment(`Load the ${label} tile into shared memory${way}`)];
}

export function prefetchOf(plan: PipelinedPlan, body: readonly Step[]) {
  const deposits = body[0]?.op === 'depositTile';
  const label = deposits
    ? pipelineFor(plan).stages === 1
      ? 'Store the next tile from registers to shared memory, replacing the current tile.'
      : 'Store the next tile from registers to the other stage.'
    : body[0]?.op === 'fetchTile'
      ? 'Prefetch the next tile from global memory into registers.'
      : pipelineFor(plan).stages === 2
        ? 'Prefetch the next tile into the other stage (double buffering).'
        : `Prefetch the tile ${pipelineFor(plan).stages - 1} iterations ahead into the stage that was freed last.`;
  return { label, fromMemory: !deposits };
}

export function reuseComment(plan: Plan, { edge, once }: At): readonly Statement[] {
  if (!name.isThreadTiled(plan) || edge === 'end' || once !== undefined) return [];
  const { m } = plan.thread;
  const n = name.computedColumns(plan, plan.thread.n);
  return [comment(`Per k: ${m} + ${n} values from shared memory feed ${m * n} FMAs.`)];
}

export function stagingComment(plan: Plan): string {
  const { m, n } = plan.guards;
  const lanes =
    plan.spec.schedule.variant === 'transposed'
      ? 'consecutive threads access consecutive rows.'
      : 'consecutive threads load consecutive elements.';
  const load = `Load the A and B tiles into shared memory; ${lanes}`;
  return m || n ? `${load} Elements outside the matrices are zero.` : load;
}
