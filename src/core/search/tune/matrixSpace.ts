/** Search space of `mma` schedules, for GPUs with an MMA instruction for the element type. */
import { instructionsOn } from '../../plan/instructions';
import { elementOf, splitOf } from '../../plan/fp32Emulation';
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';

/** Warp-tile extents: larger tiles load less per MMA but use more accumulator registers. */
const WARPS = [
  [64, 64],
  [64, 32],
  [32, 64],
  [32, 32],
  [64, 128],
  [128, 64],
  [16, 32],
] as const;
const WARPS_PER_SIDE = [1, 2, 4, 8];
const MAX_WARPS = 16;
const K_EXTENT_BYTES = [32, 64, 128];
const STAGES = [2, 3, 4, 5];
const SPLITS = [1, 2, 4];

/** Includes illegal schedules; empty if the device has no MMA instruction for the element type. */
export function* matrixSchedules(spec: ResolvedSpec): Generator<ResolvedSchedule> {
  const { problem, device } = spec;
  const [instruction] = instructionsOn(elementOf(spec), device);
  if (instruction === undefined) return;
  const { m, n, k } = instruction;
  const bytes = DTYPE_BYTES[problem.a.dtype];
  const common = {
    ...({ algorithm: 'mma', mma: { m, n, k }, swizzle: 'xor' } as const),
    // Use 16-byte vectors, or the widest vectors that a schedule can specify.
    ...({ vector: bytes === 4 ? 4 : 8 } as const),
    ...splitOf(spec),
  };
  for (const [warpM, warpN] of WARPS) {
    for (const rows of WARPS_PER_SIDE) {
      for (const columns of WARPS_PER_SIDE) {
        if (rows * columns > MAX_WARPS) continue;
        for (const splitK of SPLITS) {
          for (const kExtent of K_EXTENT_BYTES) {
            const block = { m: warpM * rows, n: warpN * columns, k: kExtent / bytes };
            for (const stages of STAGES) {
              const shape = { ...common, block, warp: { m: warpM, n: warpN }, stages };
              yield splitK === 1 ? shape : { ...shape, splitK };
            }
          }
        }
      }
    }
  }
}

/**
 * Returns the numbers of fragment buffers to try. Two buffers, which prefetch the fragments of the
 * next k-step, are tried only for an even number of k-steps.
 */
export function matrixForms({
  block,
  mma,
}: ResolvedSchedule): readonly Pick<ResolvedSchedule, 'fragments'>[] {
  const kExtents = (block?.k ?? 1) / (mma?.k ?? 1);
  return kExtents % 2 === 0 ? [{ fragments: 2 }, { fragments: 1 }] : [{ fragments: 1 }];
}
