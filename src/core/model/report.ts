/** Adds the time model's prediction to an analysis. */
import type { Device } from '../hardware/devices';
import { elementOf } from '../plan/fp32Emulation';
import { matrixPlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';
import { calibrationFor, onTensorCores } from './calibration';
import { machineFor, tensorMachineFor } from './machine';
import { predict, type Prediction, type PredictionInput } from './predict';
import type { SiteCosts } from './siteCosts';
import { warpGroupsOn } from '../cost/wgmma/wgmmaCalibration';
import { warpGroupInput } from '../cost/wgmma/wgmmaInput';
import { predictWarpGroups, type WarpGroupPrediction } from '../cost/wgmma/wgmmaModel';
import { figure, type Figure } from '../text/figure';
import type { OccupancyReport } from '../occupancy/report';

interface Predicted {
  readonly milliseconds: Figure;
  readonly tflops: Figure;
  readonly calibratedOn: string;
  /** Whether the fits include such kernels: SIMT, and `wgmma` without two-pass split-K. */
  readonly fitted: boolean;
  readonly origin: string;
}

export type PredictionReport = Predicted &
  (
    | {
        readonly step: Prediction['step'];
        readonly stepCycles: number;
      }
    | {
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

/**
 * Returns the input of the SIMT and `mma` model. Returns null for WGSL and `wgmma` kernels, for
 * units without a known rate, and for blocks that do not fit on an SM.
 */
export function modelInput({ plan, costs, device, occupancy }: ModelInput): PredictionInput | null {
  const matrix = matrixPlanIn(plan);
  const machine =
    matrix === null
      ? machineFor(device, plan.accumulator)
      : tensorMachineFor(device, elementOf(plan.spec), matrix.shape);
  const found = calibrationFor(device.id);
  const blocksPerSm = occupancy?.blocksPerSm ?? 0;
  if (plan.target !== 'cuda' || plan.family === 'wgmma') return null;
  // The fit has no kernels that stream B from DRAM to registers (cost/simt/gemvModel.ts).
  if (plan.spec.schedule.algorithm === 'gemv') return null;
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
      calibratedOn: warpGroupsOn(given.device.id).device,
      fitted: ofGroups.plan.wgmma.twoPass === undefined,
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
