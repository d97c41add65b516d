/** Chooses a tensor-core schedule by the time model, for shapes that no table has. */
import type { Examiner } from '../../plan/examiner';
import { isHopper } from '../../plan/wgmma/wgmma';
import { flops, type ResolvedSchedule, type ResolvedSpec } from '../../spec/resolved';
import { predictedSchedules } from '../wgmma/wgmmaChoice';

export interface Predicted {
  readonly how: 'predicted';
  readonly schedule: ResolvedSchedule;
  readonly device: string;
  /** Predicted rate in 1e9 FLOP/s. */
  readonly gflops: number;
}

/** Number of predictions to try; a candidate may be illegal or exceed the workspace limit. */
const TRIED = 6;

/**
 * Returns the legal `wgmma` schedule with the shortest predicted time. Returns null if WGSL is a
 * target, the device has no warp-group instructions, or no candidate is legal.
 */
export function predicted(plain: ResolvedSpec, legality: Examiner): Predicted | null {
  const { problem, device, targets } = plain;
  if (targets.length !== 1 || targets[0] !== 'cuda' || !isHopper(device)) return null;
  if (problem.a.dtype === 'f32' || problem.a.dtype !== problem.b.dtype) return null;
  for (const { schedule, milliseconds } of predictedSchedules(problem, device, TRIED)) {
    const spec = { ...plain, schedule };
    if (!legality.isLegal(spec, 'cuda') || !legality.fitsWorkspace(spec, 'cuda')) continue;
    return { how: 'predicted', schedule, device, gflops: flops(problem) / milliseconds / 1e6 };
  }
  return null;
}
