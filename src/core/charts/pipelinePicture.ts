/** Computes the pipeline timeline of a `wgmma` kernel with the time model. */
import type { Device } from '../hardware/devices';
import { warpGroupsOn } from '../cost/wgmma/wgmmaCalibration';
import { predictWarpGroups, warpGroupMachine } from '../cost/wgmma/wgmmaModel';
import type { Plan, WarpGroupPlan } from '../plan/plan';
import { epilogueTileBytes } from '../plan/traffic';
import type { WgmmaPlan } from '../plan/wgmma/wgmmaPlan';
import { productsOf } from '../spec/epilogue';
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
  /** Predicted SM clock during MMAs, which the power limit may reduce. */
  readonly clockMHz: number;
  /**
   * k-iterations per tile and split-K slice in the kernel; `shape` has fewer if the diagram omits
   * repeated k-iterations.
   */
  readonly stepsOfTile: number;
  /**
   * Fraction of the time from the first MMA to the last in which the tensor cores are busy, 0..1.
   */
  readonly busy: number;
}

/** Maximum number of tiles drawn per block: two for each ping-pong consumer. */
const MAX_TILES = 4;
/** Maximum number of k-iterations drawn; later k-iterations repeat the pattern. */
const MAX_ITERATIONS = 256;

/**
 * Returns the timeline, or null for kernels without `wgmma`
 * instructions and for devices whose clock, peak or L2
 * bandwidth is unknown.
 */
export function pipelinePicture(plan: Plan, device: Device): PipelinePicture | null {
  // The rates of the time model are those of wgmma.
  if (plan.family !== 'wgmma' || plan.wgmma.instruction === 'mma') return null;
  const { wgmma } = plan;
  const rates = timesOf(plan, device);
  if (rates === null) return null;
  const { kernelSchedule, consumers, stages, splitK, twoPass } = wgmma;
  const stepsOfTile = Math.max(
    1,
    Math.floor(
      (Math.ceil(plan.spec.problem.k / plan.tile.k) * (wgmma.fp32Emulation?.products.length ?? 1)) /
        (splitK * (twoPass?.slices ?? 1)),
    ),
  );
  const { x, y, z } = plan.grid;
  const shape = {
    kernelSchedule,
    consumers,
    stages,
    steps: Math.min(MAX_ITERATIONS, stepsOfTile),
    tiles: Math.min(MAX_TILES, Math.ceil((x * y * z * splitK) / wgmma.blocks)),
    inFlight: inFlightOf(wgmma, wgmma.shape.n / productsOf(plan.spec.problem)),
  };
  const timeline = timelineOf(shape, rates.times);
  const first = timeline.steps[0]?.from ?? 0;
  const last = timeline.steps.at(-1)?.to ?? first;
  const multiplying = timeline.steps.length * rates.times.multiply;
  const busy = Math.min(1, multiplying / (last - first));
  return { ...timeline, ...rates, shape, stepsOfTile, busy };
}

/**
 * Returns the maximum fraction of a tile's TMA stores in flight when the last box is issued, or 0
 * without TMA stores.
 */
function inFlightOf(
  { output, rowsPerConsumer, shape }: WgmmaPlan,
  /** Columns of the computed tile, without those of the second B of a gate. */
  columns: number,
): number {
  if (output.by !== 'tma') return 0;
  const boxes = (rowsPerConsumer / shape.m) * (columns / output.columns);
  return Math.min(1, output.buffers / boxes);
}

function timesOf(
  plan: WarpGroupPlan,
  device: Device,
): Pick<PipelinePicture, 'times' | 'loadsFrom' | 'clockMHz'> | null {
  const machine = warpGroupMachine(device);
  if (machine === null) return null;
  const { calibration } = warpGroupsOn(device.id);
  const predicted = predictWarpGroups({ plan, machine, calibration });
  const { tile, spec } = plan;
  const { a, b, blocks } = plan.wgmma;
  // These are the bytes that this block requests. Multicast loads by other blocks of the cluster
  // arrive as well.
  const requestedBytes = a.bytes + b.bytes;
  const l2GBps = calibration.arrivingGBps;
  const tiles = { a: a.bytes, b: b.bytes, asked: requestedBytes, blocks, l2GBps };
  const { load, loadsFrom } = tileLoad(plan, device, tiles);
  const { c, beta } = spec.problem;
  const tileBytes =
    tile.m * tile.n * DTYPE_BYTES[c.dtype] * (beta === 0 ? 1 : 2) +
    epilogueTileBytes(spec.problem, tile);
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
