/** Split-K: the K extent of each slice and the reduction of the partial results. */
import type { ResolvedSpec } from '../spec/resolved';
import type { Dim3, Plan, SplitPlan } from './plan';

const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);

/** Block of the pre-pass or post-pass kernel: a warp along the contiguous index of C. */
const PASS_BLOCK = { along: 32, across: 8 } as const;

/** Returns the units of K that slices cannot divide: staged tiles, or elements without staging. */
export const kIterationsOf = ({ problem }: ResolvedSpec, tile: Plan['tile']): number =>
  ceilDiv(problem.k, Math.max(1, tile.k));

export function splitPlan(spec: ResolvedSpec, tile: Plan['tile']): SplitPlan | undefined {
  const { problem, schedule } = spec;
  const { splitK: parts = 1, splitKReduction: reduction = 'two-pass' } = schedule;
  // Warp groups exchange the accumulators of slices within a cluster.
  if (parts === 1 || schedule.algorithm === 'wgmma') return undefined;
  const { m, n, batch, beta } = problem;
  const kind = reduction === 'two-pass' ? 'reduce' : 'scale';
  const row = problem.c.layout === 'row';
  const { along, across } = PASS_BLOCK;
  const [inner, outer] = row ? [n, m] : [m, n];
  const grid: Dim3 = { x: ceilDiv(inner, along), y: ceilDiv(outer, across), z: batch };
  const block: Dim3 = { x: along, y: across, z: 1 };
  return {
    parts,
    reduction,
    depth: ceilDiv(kIterationsOf(spec, tile), parts) * Math.max(1, tile.k),
    // With beta = 1, slices add to the existing C.
    ...(kind === 'scale' && beta === 1 ? {} : { pass: { kind, block, grid } }),
    workspaceElements: reduction === 'two-pass' ? batch * parts * m * n : 0,
  };
}
