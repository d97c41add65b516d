/** Plans split-K: the K extent of each slice, and the reduction of the partial results. */
import type { ResolvedSpec } from '../spec/resolved';
import type { Dim3, Plan, SplitPlan } from './plan';

const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);

/**
 * Block shape of the pre-pass or post-pass kernel: 32 threads along the contiguous dimension of C,
 * and 8 across it.
 */
const PASS_BLOCK = { along: 32, across: 8 } as const;

/**
 * Returns the number of k-iterations over K, including a partial last one. Without a K tile, a
 * k-iteration covers one k.
 */
export const kIterationsOf = ({ problem }: ResolvedSpec, tile: Plan['tile']): number =>
  ceilDiv(problem.k, Math.max(1, tile.k));

export function splitPlan(spec: ResolvedSpec, tile: Plan['tile']): SplitPlan | undefined {
  const { problem, schedule } = spec;
  const { splitK: parts = 1, splitKReduction: reduction = 'two-pass' } = schedule;
  // `wgmma` slices are blocks of one cluster and exchange accumulators there, without a workspace.
  if (parts === 1 || schedule.algorithm === 'wgmma') return undefined;
  const { m, n, batch, beta } = problem;
  const kind = reduction === 'two-pass' ? 'reduce' : 'scale';
  const row = problem.c.layout === 'row';
  const { along, across } = PASS_BLOCK;
  const [inner, outer] = row ? [n, m] : [m, n];
  const grid: Dim3 = { x: ceilDiv(inner, along), y: ceilDiv(outer, across), z: batch };
  const block: Dim3 = { x: along, y: across, z: 1 };
  return {
    slices: parts,
    reduction,
    sliceK: ceilDiv(kIterationsOf(spec, tile), parts) * Math.max(1, tile.k),
    // With beta = 1, the slices add to C without a pre-pass.
    ...(kind === 'scale' && beta === 1 ? {} : { pass: { kind, block, grid } }),
    workspaceElements: reduction === 'two-pass' ? batch * parts * m * n : 0,
  };
}
