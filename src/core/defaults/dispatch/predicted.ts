/** Chooses a schedule by a time model, for shapes that no table has. */
import { shapeClass } from '../../cost/shapeClass';
import { GEMV } from '../../cost/simt/gemvModel';
import { SIMT } from '../../cost/simt/simtCalibration';
import { CORRECTION } from '../../cost/wgmma/wgmmaCorrection';
import { warpGroupsOn } from '../../cost/wgmma/wgmmaCalibration';
import { warpGroupInput } from '../../cost/wgmma/wgmmaInput';
import { predictWarpGroups } from '../../cost/wgmma/wgmmaModel';
import { WGSL_TREES } from '../../cost/wgsl/wgslModel';
import { findDevice, type DeviceId } from '../../hardware/devices';
import type { Examiner } from '../../plan/examiner';
import { plan } from '../../plan/planner';
import { isHopper } from '../../plan/wgmma/wgmma';
import {
  flops,
  type ResolvedProblem,
  type ResolvedSchedule,
  type ResolvedSpec,
} from '../../spec/resolved';
import { mainLoopOf, mmaSchedules } from '../mma/mmaChoice';
import { gatedSchedule, withoutGate } from '../../plan/gated';
import type { PredictedSchedule } from '../predictedSchedule';
import { gemvChoices } from '../simt/gemvChoice';
import { correctionFor, simtSchedules } from '../simt/simtChoice';
import { predictedSchedules } from '../wgmma/wgmmaChoice';
import { wgslSchedules } from '../wgsl/wgslChoice';
import type { DispatchRow } from './row';

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
  /** Measurement at this shape in short batches, at a clock that power does not permit for long. */
  readonly shortBatches?: DispatchRow;
}

/** Number of predictions to try, because a candidate may be illegal. */
const TRIED = 6;

/**
 * Returns the legal schedule with the shortest predicted time: `wgmma` or `mma` for tensor-core
 * types, and a SIMT kernel for FP32. Returns null if the spec has both targets, the device is not a
 * Hopper GPU, or no candidate is legal.
 */
export function predicted(plain: ResolvedSpec, legality: Examiner): Predicted | null {
  const [best = null] = predictions(plain, legality);
  return best;
}

/** Yields the legal ones of the `TRIED` fastest predictions, fastest first. */
export function* predictions(plain: ResolvedSpec, legality: Examiner): Generator<Predicted> {
  const { problem, device, targets } = plain;
  const [target] = targets;
  if (target === undefined || targets.length !== 1 || !isHopper(device)) return;
  const given = { ...plain, problem: withoutGate(problem) };
  const choices = target === 'wgsl' ? wgslChoices(given) : choicesOf(given);
  for (const { schedule: chosen, milliseconds, errorPercent, fittedOn } of choices) {
    const schedule = gatedSchedule(chosen, problem);
    if (!legality.isLegal({ ...plain, schedule }, target)) continue;
    const gflops = flops(problem) / milliseconds / 1e6;
    yield { how: 'predicted', schedule, device, gflops, errorPercent, fittedOn };
  }
}

/** Returns whether a model of tensor-core kernels was fitted to the device of a spec. */
export const isFittedTo = ({ problem, device }: ResolvedSpec): boolean =>
  problem.a.dtype !== 'f32' && warpGroupsOn(device).device === device;

/**
 * Returns whether power limits the clock of a schedule according to the model. Its rate in short
 * batches at a shared clock is then not that of a long run.
 */
export function isPowerLimited(spec: ResolvedSpec): boolean {
  const device = findDevice(spec.device);
  const planned = plan(spec, 'cuda');
  if (device === undefined || !planned.ok) return false;
  const input = warpGroupInput({ plan: planned.plan, device });
  return input !== null && predictWarpGroups(input).isPowerLimited;
}

type Model = Pick<Predicted, 'errorPercent' | 'fittedOn'>;
type Choice = PredictedSchedule & Model;

/**
 * Returns the fastest predictions, fastest first. Returns none for types without a model: mixed
 * inputs, and FP32 inputs with another output.
 */
function choicesOf(spec: ResolvedSpec): readonly Choice[] {
  const { problem, device } = spec;
  const { a, b, c, accumulator } = problem;
  if (a.dtype !== b.dtype) return [];
  if (a.dtype !== 'f32') return tensorChoices(problem, device);
  if (c.dtype !== 'f32' || accumulator !== 'f32') return [];
  const { fittedOn, ...calibration } = SIMT[shapeClass(problem)];
  const { errorPercent } = correctionFor(problem) ?? calibration;
  return [
    ...withModel({ errorPercent, fittedOn }, simtSchedules(spec, TRIED)),
    ...withModel({ errorPercent: GEMV.errorPercent, fittedOn: ['h200'] }, gemvChoices(spec, TRIED)),
  ].sort((one, other) => one.milliseconds - other.milliseconds);
}

const wgslChoices = ({ problem, device }: ResolvedSpec): readonly Choice[] =>
  withModel(
    { errorPercent: WGSL_TREES.errorPercent, fittedOn: ['h100-sxm'] },
    wgslSchedules(problem, device, TRIED),
  );

/**
 * Predicted time of an `mma` kernel, relative to the fastest `wgmma` kernel, below which `mma` is
 * chosen. Its model has the larger error, most of all for row-major B with asynchronous copies
 * (bench/h200-mma-fit.jsonl, h100-mma-random.jsonl).
 */
const MMA_MARGINS = { asynchronous: 0.8, prefetched: 0.9 } as const;

/**
 * Returns `wgmma` schedules, after clearly faster `mma` schedules. All other `mma` schedules
 * follow, because the copies of `wgmma` may exceed the workspace limit.
 */
function tensorChoices(problem: ResolvedProblem, device: string): readonly Choice[] {
  const { device: fitted } = warpGroupsOn(device);
  const { errorPercent } = CORRECTION[shapeClass(problem)];
  const groups = withModel(
    { errorPercent, fittedOn: [fitted] },
    predictedSchedules(problem, device, TRIED),
  );
  const fastest = groups[0]?.milliseconds ?? Infinity;
  const { name, calibration } = mainLoopOf(problem);
  const others = withModel(calibration, mmaSchedules(problem, device, TRIED));
  const isFaster = ({ milliseconds }: Choice): boolean =>
    milliseconds < MMA_MARGINS[name] * fastest;
  return [...others.filter(isFaster), ...groups, ...others.filter(one => !isFaster(one))];
}

const withModel = (
  { errorPercent, fittedOn }: Model,
  schedules: readonly PredictedSchedule[],
): readonly Choice[] => schedules.map(one => ({ ...one, errorPercent, fittedOn }));
