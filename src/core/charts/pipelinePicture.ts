/** Timeline of a `wgmma` kernel's ring buffer, from the known rates of its device. */
import type { Device } from '../hardware/devices';
import { WARP_GROUPS } from '../model/wgmma/wgmmaCalibration';
import { predictWarpGroups, warpGroupMachine } from '../model/wgmma/wgmmaModel';
import type { Plan, WarpGroupPlan } from '../plan/plan';
import type { WgmmaPlan } from '../plan/wgmma/wgmmaPlan';
import { DTYPE_BYTES } from '../types/dtype';
import {
  timelineOf,
  type StepTimes,
  type Timeline,
  type TimelineShape,
} from '../kernel/wgmma/timeline';
import { dramGBpsOf, tileLoad, type TileLoad } from '../memory/tileLoad';

export interface PipelinePicture extends Timeline {
  readonly shape: TimelineShape;
  readonly times: StepTimes;
  readonly loadsFrom: TileLoad['loadsFrom'];
  /** Clock of the tensor cores: the boost clock reduced by the power limit. */
  readonly clockMHz: number;
  /** k-iterations per tile of the kernel; `shape` has fewer if the rest repeats. */
  readonly stepsOfTile: number;
  /** Share of the time between the first and the last MMA in which tensor cores are busy: 0..1. */
  readonly busy: number;
}

/** Tiles per block in the diagram: two per consumer of ping-pong. */
const MAX_TILES = 4;
/** Maximum number of k-iterations drawn; later k-iterations repeat. */
const MAX_ITERATIONS = 256;

/** Returns null for other kernels, and if no clock of the device is published. */
export function pipelinePicture(plan: Plan, device: Device): PipelinePicture | null {
  if (plan.family !== 'wgmma') return null;
  const { wgmma } = plan;
  const rates = timesOf(plan, device);
  if (rates === null) return null;
  const { kernelSchedule, consumers, stages, splitK } = wgmma;
  const stepsOfTile = Math.max(
    1,
    Math.floor(
      (Math.ceil(plan.spec.problem.k / plan.tile.k) * (wgmma.pieces?.products.length ?? 1)) /
        splitK,
    ),
  );
  const { x, y, z } = plan.grid;
  const shape = {
    kernelSchedule,
    consumers,
    stages,
    steps: Math.min(MAX_ITERATIONS, stepsOfTile),
    tiles: Math.min(MAX_TILES, Math.ceil((x * y * z * splitK) / wgmma.blocks)),
    inFlight: inFlightOf(wgmma),
  };
  const timeline = timelineOf(shape, rates.times);
  const first = timeline.steps[0]?.from ?? 0;
  const last = timeline.steps.at(-1)?.to ?? first;
  const multiplying = timeline.steps.length * rates.times.multiply;
  const busy = Math.min(1, multiplying / (last - first));
  return { ...timeline, ...rates, shape, stepsOfTile, busy };
}

/** Computes TMA stores in flight when the last box is issued. */
function inFlightOf({ output, groupRows, shape }: WgmmaPlan): number {
  if (output.by !== 'tma') return 0;
  const boxes = (groupRows / shape.m) * (shape.n / output.columns);
  return Math.min(1, output.buffers / boxes);
}

function timesOf(
  plan: WarpGroupPlan,
  device: Device,
): Pick<PipelinePicture, 'times' | 'loadsFrom' | 'clockMHz'> | null {
  const machine = warpGroupMachine(device);
  if (machine === null) return null;
  const calibration = WARP_GROUPS;
  const predicted = predictWarpGroups({ plan, machine, calibration });
  const { tile, spec } = plan;
  const { a, b, blocks } = plan.wgmma;
  // Multicast loads of the other blocks in the cluster arrive as well.
  const requestedBytes = a.bytes + b.bytes;
  const l2GBps = calibration.arrivingGBps;
  const tiles = { a: a.bytes, b: b.bytes, asked: requestedBytes, blocks, l2GBps };
  const { load, loadsFrom } = tileLoad(plan, device, tiles);
  const { c, beta } = spec.problem;
  const tileBytes = tile.m * tile.n * DTYPE_BYTES[c.dtype] * (beta === 0 ? 1 : 2);
  return {
    loadsFrom,
    clockMHz: predicted.clockMHz,
    times: {
      multiply: predicted.step.products,
      load,
      latency: calibration.latencyNanoseconds,
      store: (tileBytes * machine.multiprocessors) / dramGBpsOf(device),
    },
  };
}
