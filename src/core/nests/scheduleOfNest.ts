/** The schedule of a spec whose kernel has a given loop nest. */
import { resolve } from '../defaults/resolve';
import { plan } from '../plan/planner';
import type { GemmSpec, Schedule, Target } from '../spec/schema';
import { iterationsOf, type LoopAxis, type LoopNest, type LoopProblem } from './nest';
import { nestOfPlan } from './nestOfPlan';
import { sharedTile } from './rules';
import { nestText } from './text';

/** Vectorized accesses do not change which thread computes an element. */
const withoutVectors = (nest: LoopNest): LoopNest =>
  nest.map(loop => (loop.level === 'vector' ? { ...loop, level: 'thread' } : loop));

/**
 * Returns a schedule for the problem of the spec whose kernel has this nest in the target; null if
 * no algorithm has it.
 */
export function scheduleOfNest(
  nest: LoopNest,
  problem: LoopProblem,
  { spec, target }: { readonly spec: GemmSpec; readonly target: Target },
): Schedule | null {
  const wanted = nestText(withoutVectors(nest));
  return (
    candidates(nest, problem).find(schedule => {
      const planned = plan(resolve({ ...spec, schedule }), target);
      if (!planned.ok) return false;
      const found = nestOfPlan(planned.plan);
      return 'nest' in found && nestText(found.nest) === wanted;
    }) ?? null
  );
}

function candidates(nest: LoopNest, problem: LoopProblem): readonly Schedule[] {
  const [m, n] = [gridStep(nest, 'i'), gridStep(nest, 'j')];
  if (m === null || n === null) return [];
  const tile = sharedTile(nest);
  if (tile === null)
    return (['coalesced', 'naive'] as const).map(algorithm => ({ algorithm, block: { m, n } }));
  const block = { m, n, k: tile.k };
  const thread = { m: perThread(nest, 'i', problem), n: perThread(nest, 'j', problem) };
  const [warpM, warpN] = [warpStep(nest, 'i'), warpStep(nest, 'j')];
  const warp = { m: warpM ?? m, n: warpN ?? n };
  return [
    { algorithm: 'shared-tile', block },
    { algorithm: 'shared-tile', block, variant: 'transposed' },
    { algorithm: 'thread-tile-1d', block, thread },
    { algorithm: 'thread-tile-2d', block, thread },
    { algorithm: 'vectorized', block, thread },
    { algorithm: 'warp-tile', block, thread, warp },
    { algorithm: 'pipelined', block, thread, warp },
  ];
}

const gridStep = (nest: LoopNest, axis: LoopAxis): number | null =>
  nest.find(loop => loop.axis === axis && loop.level === 'grid')?.step ?? null;

const warpStep = (nest: LoopNest, axis: LoopAxis): number | null =>
  nest.find(loop => loop.axis === axis && loop.level === 'block')?.step ?? null;

const perThread = (nest: LoopNest, axis: LoopAxis, problem: LoopProblem): number =>
  nest
    .filter(loop => loop.axis === axis && (loop.level === 'thread' || loop.level === 'vector'))
    .reduce((product, loop) => product * iterationsOf(nest, loop, problem), 1);
