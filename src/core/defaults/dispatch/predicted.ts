/** Chooses a schedule by a time model, for shapes that no table has. */
import { SIMT } from '../../cost/simt/simtCalibration';
import { warpGroupsOn } from '../../cost/wgmma/wgmmaCalibration';
import type { DeviceId } from '../../hardware/devices';
import type { Examiner } from '../../plan/examiner';
import { isHopper } from '../../plan/wgmma/wgmma';
import { flops, type ResolvedSchedule, type ResolvedSpec } from '../../spec/resolved';
import type { PredictedSchedule } from '../predictedSchedule';
import { simtSchedules } from '../simt/simtChoice';
import { simtClass } from '../simt/simtSchedules';
import { predictedSchedules } from '../wgmma/wgmmaChoice';

export interface Predicted {
  readonly how: 'predicted';
  readonly schedule: ResolvedSchedule;
  readonly device: string;
  /** Predicted rate in 1e9 FLOP/s. */
  readonly gflops: number;
  /** Median error of the model in percent, at shapes that its fit did not use. */
  readonly errorPercent: number;
  /** Devices whose measurements the model was fitted to. */
  readonly fittedOn: readonly DeviceId[];
}

/** Number of predictions to try, because a candidate may be illegal. */
const TRIED = 6;

/**
 * Returns the legal schedule with the shortest predicted time: `wgmma` for tensor-core types, and a
 * SIMT kernel for FP32. Returns null if WGSL is a target, the device is not a Hopper GPU, or no
 * candidate is legal.
 */
export function predicted(plain: ResolvedSpec, legality: Examiner): Predicted | null {
  const [best = null] = predictions(plain, legality);
  return best;
}

/** Yields the legal ones of the `TRIED` fastest predictions, fastest first. */
export function* predictions(plain: ResolvedSpec, legality: Examiner): Generator<Predicted> {
  const { problem, device, targets } = plain;
  if (targets.length !== 1 || targets[0] !== 'cuda' || !isHopper(device)) return;
  const chosen = choiceOf(plain);
  if (chosen === null) return;
  const { schedules, ...model } = chosen;
  for (const { schedule, milliseconds } of schedules) {
    if (!legality.isLegal({ ...plain, schedule }, 'cuda')) continue;
    const gflops = flops(problem) / milliseconds / 1e6;
    yield { how: 'predicted', schedule, device, gflops, ...model };
  }
}

interface Choice extends Pick<Predicted, 'errorPercent' | 'fittedOn'> {
  readonly schedules: readonly PredictedSchedule[];
}

/** Returns null for types without a model: mixed inputs, and FP32 inputs with another output. */
function choiceOf(spec: ResolvedSpec): Choice | null {
  const { problem, device } = spec;
  const { a, b, c, accumulator } = problem;
  if (a.dtype !== b.dtype) return null;
  if (a.dtype !== 'f32') {
    const schedules = predictedSchedules(problem, device, TRIED);
    const { calibration, device: fitted } = warpGroupsOn(device);
    return { schedules, errorPercent: calibration.errorPercent, fittedOn: [fitted] };
  }
  if (c.dtype !== 'f32' || accumulator !== 'f32') return null;
  const { errorPercent, fittedOn } = SIMT[simtClass(problem)];
  return { schedules: simtSchedules(spec, TRIED), errorPercent, fittedOn };
}
