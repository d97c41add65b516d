/** `mma` on tensor cores: the schedules that a tune on a GPU with an instruction for the type may choose from. */
import { instructionsOn } from '../../plan/instructions';
import { elementOf, splitOf } from '../../plan/pieces';
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';

/** Sides of a warp's tile: larger ones load less for each product, and their sums take more registers. */
const WARPS = [
  [64, 64],
  [64, 32],
  [32, 64],
  [32, 32],
  [64, 128],
  [128, 64],
  [16, 32],
] as const;
/** Along each side of the block, up to a block that a scheduler of an SM has four of. */
const WARPS_A_SIDE = [1, 2, 4, 8];
const MOST_WARPS = 16;
/** Bytes of a row of a staged tile along K. */
const DEPTH_BYTES = [32, 64, 128];
const STAGES = [2, 3, 4, 5];
const SPLITS = [1, 2, 4];

/** Every schedule of the space, legal or not, with the largest instruction. */
export function* matrixSchedules(spec: ResolvedSpec): Generator<ResolvedSchedule> {
  const { problem, device } = spec;
  const [instruction] = instructionsOn(elementOf(spec), device);
  if (instruction === undefined) return;
  const { m, n, k } = instruction;
  const bytes = DTYPE_BYTES[problem.a.dtype];
  const common = {
    ...({ algorithm: 'mma', mma: { m, n, k }, swizzle: 'xor' } as const),
    // Elements of 16 bytes, or the most that an access names.
    ...({ vector: bytes === 4 ? 4 : 8 } as const),
    ...splitOf(spec),
  };
  for (const [warpM, warpN] of WARPS) {
    for (const rows of WARPS_A_SIDE) {
      for (const columns of WARPS_A_SIDE) {
        if (rows * columns > MOST_WARPS) continue;
        for (const splitK of SPLITS) {
          for (const depth of DEPTH_BYTES) {
            const block = { m: warpM * rows, n: warpN * columns, k: depth / bytes };
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

/** Fragments of the next depth are loaded while these are multiplied, or not: registers decide. Two buffers take turns. */
export function matrixForms({
  block,
  mma,
}: ResolvedSchedule): readonly Pick<ResolvedSchedule, 'fragments'>[] {
  const depths = (block?.k ?? 1) / (mma?.k ?? 1);
  return depths % 2 === 0 ? [{ fragments: 2 }, { fragments: 1 }] : [{ fragments: 1 }];
}
