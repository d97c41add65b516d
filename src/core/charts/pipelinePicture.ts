/** The ring of a `wgmma` kernel in time, of the rates that are known of its device. */
import type { Device } from '../hardware/devices';
import { WARP_GROUPS } from '../model/wgmma/wgmmaCalibration';
import { predictWarpGroups, warpGroupMachine } from '../model/wgmma/wgmmaModel';
import type { Plan, WarpGroupPlan, WgmmaPlan } from '../plan/plan';
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
  /** At which tensor cores multiply: what the power limit leaves of the boost clock. */
  readonly clockMHz: number;
  /** Steps of a tile of the kernel; `shape` has as many at most as tell all there is. */
  readonly stepsOfTile: number;
  /** Of the time from the first product to the end of the last one, that tensor cores multiply: 0..1. */
  readonly busy: number;
}

/** Tiles of a block that are drawn: each consumer of ping-pong twice. */
const MOST_TILES = 4;
/** Beyond these a tile's steps go as those before them. */
const MOST_STEPS = 256;

/** Null for other kernels, and where no clock of the device is published. */
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
    steps: Math.min(MOST_STEPS, stepsOfTile),
    tiles: Math.min(MOST_TILES, Math.ceil((x * y * z * splitK) / wgmma.blocks)),
    inFlight: inFlightOf(wgmma),
  };
  const timeline = timelineOf(shape, rates.times);
  const first = timeline.steps[0]?.from ?? 0;
  const last = timeline.steps.at(-1)?.to ?? first;
  const multiplying = timeline.steps.length * rates.times.multiply;
  const busy = Math.min(1, multiplying / (last - first));
  return { ...timeline, ...rates, shape, stepsOfTile, busy };
}

/** Boxes that TMA still stores when the last one is handed to it. */
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
  // What a neighbour of the cluster loads arrives as well.
  const asked = a.bytes + b.bytes;
  const l2GBps = calibration.arrivingGBps;
  const tiles = { a: a.bytes, b: b.bytes, asked, blocks, l2GBps };
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
