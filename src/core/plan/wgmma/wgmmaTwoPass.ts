/** Two-pass split-K of `wgmma`: slices in the grid, and partial results in the workspace. */
import type { ResolvedSpec } from '../../spec/resolved';
import type { Schedule } from '../../spec/schema';
import { DTYPE_BYTES } from '../../types/dtype';
import type { Plan } from '../plan';
import { reducesInCluster, splitPlan } from '../split';
import type { TwoPassPlan, WgmmaPlan } from './wgmmaPlan';

/** Returns the number of split-K slices of a tile that the blocks of one cluster compute. */
export const clusterSlicesOf = (schedule: Schedule): number =>
  reducesInCluster(schedule) ? (schedule.splitK ?? 1) : 1;

/** Returns the slices and the bytes of their partial results, which start at `offsetBytes`. */
export function twoPassOf(
  spec: Pick<ResolvedSpec, 'problem' | 'schedule'>,
  tile: Plan['tile'],
  offsetBytes: number,
): { readonly twoPass?: TwoPassPlan; readonly bytes: number } {
  const split = splitPlan(spec, tile);
  if (split === undefined) return { bytes: 0 };
  const iterations = split.sliceK / Math.max(1, tile.k);
  return {
    twoPass: { slices: split.slices, iterations, offsetBytes },
    bytes: split.workspaceElements * DTYPE_BYTES[spec.problem.accumulator],
  };
}

/** Returns the bytes of the repacked copies, which are at the start of the workspace. */
export const repackedBytes = ({ twoPass, workspaceBytes }: WgmmaPlan): number =>
  twoPass?.offsetBytes ?? workspaceBytes;

/** Returns the number of work items per tile of C: one per slice with two-pass split-K. */
export const slicesInGrid = ({ twoPass }: Pick<WgmmaPlan, 'twoPass'>): number =>
  twoPass?.slices ?? 1;
