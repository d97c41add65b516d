/** Plans split-K: the K extent of each slice, and the reduction of the partial results. */
import { productsOf } from '../spec/epilogue';
import type { ResolvedSpec } from '../spec/resolved';
import type { Schedule } from '../spec/schema';
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
export const kIterationsOf = (
  { problem }: Pick<ResolvedSpec, 'problem'>,
  tile: Plan['tile'],
): number => ceilDiv(problem.k, Math.max(1, tile.k));

/**
 * Returns whether the blocks of a `wgmma` cluster compute the slices of a tile and exchange
 * accumulators, without a workspace. The field `splitKReduction` selects a reduction kernel.
 */
export const reducesInCluster = ({ algorithm, splitK = 1, splitKReduction }: Schedule): boolean =>
  algorithm === 'wgmma' && splitK > 1 && splitKReduction !== 'two-pass';

export function splitPlan(
  spec: Pick<ResolvedSpec, 'problem' | 'schedule'>,
  tile: Plan['tile'],
): SplitPlan | undefined {
  const { problem, schedule } = spec;
  const { splitK: parts = 1, splitKReduction: reduction = 'two-pass' } = schedule;
  if (parts === 1 || reducesInCluster(schedule)) return undefined;
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
    workspaceElements: reduction === 'two-pass' ? batch * parts * productsOf(problem) * m * n : 0,
  };
}
