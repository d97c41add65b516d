/** The time model's part of an analysis. */
import type { Device } from '../hardware/devices';
import { elementOf } from '../plan/pieces';
import { matrixPlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';
import { calibrationFor, onTensorCores } from './calibration';
import { machineFor, tensorMachineFor } from './machine';
import { predict, type Prediction, type PredictionInput } from './predict';
import type { SiteCosts } from './siteCosts';
import { WARP_GROUP_DEVICE, WARP_GROUPS } from './wgmma/wgmmaCalibration';
import {
  predictWarpGroups,
  warpGroupMachine,
  type WarpGroupInput,
  type WarpGroupPrediction,
} from './wgmma/wgmmaModel';
import { figure, type Figure } from '../text/figure';
import type { OccupancyReport } from '../occupancy/report';

/** Of the device it is asked for, before the run; the contract's figures with what they are made of. */
interface Predicted {
  readonly milliseconds: Figure;
  readonly tflops: Figure;
  /** The device whose measurements the model was fitted to; the kernel's own where it has any. */
  readonly calibratedOn: string;
  /** Whether kernels that multiply on the same units were among those. */
  readonly fitted: boolean;
  readonly origin: string;
}

export type PredictionReport = Predicted &
  (
    | {
        /** What the step of an SM's blocks waits for, in cycles of each by itself. */
        readonly step: Prediction['step'];
        readonly stepCycles: number;
      }
    | {
        /** What the time of a kernel of `wgmma` is made of. */
        readonly warpGroups: Pick<
          WarpGroupPrediction,
          'clockMHz' | 'step' | 'steps' | 'rounds' | 'parts'
        >;
      }
  );

export interface ModelInput {
  readonly plan: Plan;
  readonly costs: SiteCosts;
  readonly device: Device;
  readonly occupancy: Pick<OccupancyReport, 'blocksPerSm'> | null;
}

/** What the model of warp groups needs, or null for other kernels, and devices without the rates that it takes. */
export function warpGroupInput({
  plan,
  device,
}: Pick<ModelInput, 'plan' | 'device'>): WarpGroupInput | null {
  if (plan.family !== 'wgmma') return null;
  const machine = warpGroupMachine(device);
  return machine === null ? null : { plan, machine, calibration: WARP_GROUPS };
}

/** What the model of all other kernels needs, or null where it says nothing: WGSL, units without a rate, and blocks that fit no SM. */
export function modelInput({ plan, costs, device, occupancy }: ModelInput): PredictionInput | null {
  const matrix = matrixPlanIn(plan);
  const machine =
    matrix === null
      ? machineFor(device, plan.accumulator)
      : tensorMachineFor(device, elementOf(plan.spec), matrix.shape);
  const found = calibrationFor(device.id);
  const blocksPerSm = occupancy?.blocksPerSm ?? 0;
  if (plan.target !== 'cuda' || plan.family === 'wgmma') return null;
  if (machine === null || found === null || blocksPerSm === 0) return null;
  const calibration = matrix === null ? found.calibration : onTensorCores(found.calibration);
  return { plan, costs, blocksPerSm, machine, calibration };
}

export function predictionReport(given: ModelInput): PredictionReport | null {
  const ofGroups = warpGroupInput(given);
  if (ofGroups !== null) {
    const { clockMHz, step, steps, rounds, parts, ...of } = predictWarpGroups(ofGroups);
    return {
      ...figuresOf(of),
      warpGroups: { clockMHz, step, steps, rounds, parts },
      calibratedOn: WARP_GROUP_DEVICE,
      fitted: true,
      origin: ofGroups.calibration.origin,
    };
  }
  const input = modelInput(given);
  if (input === null) return null;
  const predicted = predict(input);
  return {
    ...figuresOf(predicted),
    step: predicted.step,
    stepCycles: predicted.stepCycles,
    calibratedOn: calibrationFor(given.device.id)?.device ?? given.device.id,
    fitted: given.plan.family === 'simt',
    origin: input.calibration.origin,
  };
}

const figuresOf = ({
  milliseconds,
  tflops,
}: Pick<Prediction, 'milliseconds' | 'tflops'>): Pick<Predicted, 'milliseconds' | 'tflops'> => ({
  milliseconds: figure(milliseconds, 'ms', 'derived'),
  tflops: figure(tflops, 'TFLOP/s', 'derived'),
});
