/** K in parts: what each sums, and what becomes of the sums. */
import type { ResolvedSpec } from '../spec/resolved';
import type { Dim3, Plan, SplitPlan } from './plan';

const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);

/** A block of the kernel around the one that multiplies: a warp along C's contiguous index. */
const PASS_BLOCK = { along: 32, across: 8 } as const;

/** Steps along K that cannot be divided between parts: staged tiles, or elements where nothing is staged. */
export const stepsAlongK = ({ problem }: ResolvedSpec, tile: Plan['tile']): number =>
  ceilDiv(problem.k, Math.max(1, tile.k));

export function splitPlan(spec: ResolvedSpec, tile: Plan['tile']): SplitPlan | undefined {
  const { problem, schedule } = spec;
  const { splitK: parts = 1, splitKReduction: reduction = 'two-pass' } = schedule;
  // Warp groups exchange the sums of parts within a cluster.
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
    depth: ceilDiv(stepsAlongK(spec, tile), parts) * Math.max(1, tile.k),
    // With beta = 1 sums are added to C as it is.
    ...(kind === 'scale' && beta === 1 ? {} : { pass: { kind, block, grid } }),
    workspaceElements: reduction === 'two-pass' ? batch * parts * m * n : 0,
  };
}
