/**
 * Computes the timelines of kernels whose warps prefetch tiles. If the time model does not apply, a
 * timeline shows only the order of events.
 */
import type { Device, DeviceId } from '../hardware/devices';
import { WARP_LANES } from '../hardware/warp';
import { copiesPerKStep as copiesOfMatrices } from '../kernel/lower/mma/fragmentStaging';
import { copiesPerK as copiesOfLanes } from '../kernel/lower/tileTraversal';
import { blockWork, type BlockWork } from '../model/blockWork';
import { calibrationFor } from '../model/calibration';
import { modelInput } from '../model/report';
import { analyzedCosts, type SiteCosts } from '../model/siteCosts';
import { matrixPlanIn } from '../plan/family';
import type { PipelinedPlan, Plan } from '../plan/plan';
import { copiesAgain, pipelineFor, pipelineOf } from '../plan/steps';
import { DTYPE_BYTES } from '../types/dtype';
import type { Analysis } from '../report/analysis';
import {
  stageTimeline,
  type StageShape,
  type StageTimeline,
  type StageTimes,
} from './stageTimeline';
import { tileLoad, type TileLoad } from '../memory/tileLoad';

export interface StagePicture extends StageTimeline {
  readonly shape: StageShape;
  /**
   * Durations in nanoseconds. If `rates` is null, a barrier takes 0, all other durations are 1, and
   * `copy` is null.
   */
  readonly times: StageTimes;
  /** Null if the time model does not apply. */
  readonly rates: StageRates | null;
  /**
   * k-iterations per block in the kernel; `shape` has fewer if the diagram omits repeated
   * k-iterations.
   */
  readonly stepsOfTile: number;
}

export interface StageRates extends Pick<TileLoad, 'loadsFrom'> {
  /** Device whose measurements calibrated the latencies. */
  readonly calibratedOn: DeviceId;
}

export interface StageInput {
  readonly plan: Plan;
  readonly device: Device;
  readonly analysis: Pick<Analysis, 'globalMemory' | 'sharedMemory'>;
}

/** Maximum number of k-iterations drawn; later k-iterations repeat the pattern. */
const MAX_ITERATIONS = 32;
const SCHEDULERS = 4;
const OPERANDS = ['a', 'b'] as const;

const IN_ORDER: StageTimes = { multiply: 1, fragments: 1, barrier: 0, deposit: 1, copy: null };

export const isStaged = (plan: Plan): boolean =>
  (pipelineOf(plan)?.copies ?? 'direct') !== 'direct';

/** Returns the timeline; null for kernels without prefetched tiles. */
export function stagePicture(input: StageInput): StagePicture | null {
  const { plan, analysis } = input;
  if (!isPipelined(plan)) return null;
  const { stages, copies, buffers } = pipelineFor(plan);
  if (copies === 'direct') return null;
  const costs = analyzedCosts(analysis.globalMemory, analysis.sharedMemory);
  const work = blockWork(plan, costs);
  const stepsOfTile = Math.max(1, work.steps);
  const shape: StageShape = {
    stages,
    copies,
    buffers,
    depths: kStepsOf(plan),
    steps: Math.min(MAX_ITERATIONS, stepsOfTile),
    copyDepths: Math.max(...OPERANDS.map(operand => copyDepths(plan, operand))),
    again: buffers === 2 && (plan.family === 'simt' || copiesAgain(plan)),
  };
  const { times, rates } = timesOf(input, costs, work) ?? { times: IN_ORDER, rates: null };
  return { ...stageTimeline(shape, times), shape, times, rates, stepsOfTile };
}

const isPipelined = (plan: Plan): plan is PipelinedPlan => pipelineOf(plan) !== null;

const kStepsOf = (plan: Plan): number =>
  Math.max(1, Math.ceil(plan.tile.k / (matrixPlanIn(plan)?.shape.k ?? 1)));

/**
 * Returns the number of k-steps over which a thread distributes its copies of one operand's tile.
 */
function copyDepths(plan: PipelinedPlan, operand: 'a' | 'b'): number {
  const { tile, threads } = plan;
  const { width } = (plan.family === 'mma' ? plan.matrix : plan.lanes)[operand];
  const loads = Math.ceil(((operand === 'a' ? tile.m : tile.n) * tile.k) / width / threads);
  const share =
    plan.family === 'mma' ? copiesOfMatrices(plan, operand) : copiesOfLanes(plan, operand);
  return loads / share;
}

/**
 * Computes the durations with the time model (docs/analysis.md), for one resident block per SM.
 * Returns null if the model does not apply.
 */
function timesOf(
  { plan, device }: StageInput,
  costs: SiteCosts,
  work: BlockWork,
): Pick<StagePicture, 'times' | 'rates'> | null {
  const input = modelInput({ plan, costs, device, occupancy: { blocksPerSm: 1 } });
  if (input === null) return null;
  const { machine, calibration } = input;
  const { tile, grid } = plan;
  const depths = kStepsOf(plan);
  // Splitting f32 operands into terms may take longer than the MMAs on these terms.
  const pipe = (work.multiplyAdds * WARP_LANES * SCHEDULERS) / machine.lanes;
  const issued = Math.max(pipe, work.multiplyAdds + work.ofPieces) / work.warps;
  const products = (issued / calibration.multiplyAddShare) * Math.ceil(work.warps / SCHEDULERS);
  const { load: loads, fragment } = costs;
  const read = blockWork(plan, { load: loads, ...(fragment === undefined ? {} : { fragment }) });
  const shared = (wavefronts: number, requests: number): number =>
    wavefronts * calibration.cyclesPerWavefront + requests * calibration.cyclesPerRequest;
  const fragments = shared(read.sharedWavefronts, read.sharedRequests) / depths;
  const bytes = (operand: 'a' | 'b'): number =>
    (operand === 'a' ? tile.m : tile.n) * tile.k * DTYPE_BYTES[plan.dtypes[operand]];
  const [a, b] = [bytes('a'), bytes('b')];
  const blocks = Math.min(device.multiprocessors, grid.x * grid.y * grid.z);
  const { load, loadsFrom } = tileLoad(plan, device, { a, b, asked: a + b, blocks });
  const nanoseconds = (cycles: number): number => (cycles * 1000) / machine.clockMHz;
  return {
    rates: { loadsFrom, calibratedOn: calibrationFor(device.id)?.device ?? device.id },
    times: {
      multiply: nanoseconds(products / depths),
      fragments: nanoseconds(fragments + calibration.fragmentLatencyCycles),
      barrier: nanoseconds(calibration.barrierCycles),
      deposit: nanoseconds(
        shared(
          work.sharedWavefronts - read.sharedWavefronts,
          work.sharedRequests - read.sharedRequests,
        ),
      ),
      copy: { latency: nanoseconds(calibration.tileLatencyCycles), load },
    },
  };
}
