/**
 * Predicts the time of a `wgmma` kernel whose clusters run over the SMs in rounds. A k-iteration
 * combines its MMAs with the load latency that the stages do not hide. The result combines the SM
 * time with the DRAM transfer time and adds the launch overhead. The clock is limited by power. L2
 * reads and cluster gains are omitted, because the measurements show no effect.
 */
import { compulsoryBytes } from '../../plan/traffic';
import type { Device, DeviceId } from '../../hardware/devices';
import type { WarpGroupPlan } from '../../plan/plan';
import { residentClusters, clustersOf, computedTile, GROUP_ROWS } from '../../plan/wgmma/wgmma';
import { DTYPE_BYTES } from '../../types/dtype';
import { extent, flops } from '../../spec/resolved';
import { REFERENCE_MHZ, type WarpGroupCalibration } from './wgmmaCalibration';

/** 16-bit FMAs per SM and cycle. */
const FMAS_PER_CYCLE = 2048;
/** Cycles per column of a wgmma instruction with M = 64 and a K extent of 32 bytes. */
const CYCLES_PER_COLUMN = 0.5;
/**
 * Cycles to read the operands of an instruction from shared memory at 128 bytes per cycle: 16 for
 * the 64 rows of A, and 0.25 per column of B.
 */
const READ = { rows: 16, column: 0.25 } as const;
const INSTRUCTION_BYTES = 32;
/** FP32 additions per SM and cycle. */
const ADDITIONS_PER_CYCLE = 128;

export interface WarpGroupMachine {
  readonly device: DeviceId;
  readonly multiprocessors: number;
  readonly clockMHz: number;
  /** SM clock at which the datasheet states the tensor-core peak; at most the boost clock. */
  readonly peakClockMHz: number;
  readonly dramGBps: number;
  readonly l2GBps: number;
  /** Power limit in watts; Infinity if not published. */
  readonly watts: number;
}

/**
 * Returns the machine, or null for a device whose boost clock, tensor-core peak or L2 bandwidth is
 * unknown.
 */
export function warpGroupMachine(device: Device): WarpGroupMachine | null {
  const { multiprocessors, boostClockMHz: clockMHz, l2Read, measured, powerWatts } = device;
  const peakTflops = device.peakTflops['bf16-tensor'];
  if (clockMHz === undefined || l2Read === undefined || peakTflops === undefined) return null;
  const peakClockMHz = Math.min(
    clockMHz,
    (peakTflops * 1e6) / (2 * multiprocessors * FMAS_PER_CYCLE),
  );
  return {
    device: device.id,
    multiprocessors,
    clockMHz,
    peakClockMHz,
    l2GBps: l2Read.GBps,
    watts: powerWatts ?? Infinity,
    dramGBps: measured?.memoryBandwidthGBps ?? device.memoryBandwidthGBps,
  };
}

export interface WarpGroupPrediction {
  readonly milliseconds: number;
  readonly tflops: number;
  /** SM clock in MHz: the boost clock, or the highest clock within the power limit. */
  readonly clockMHz: number;
  /** Nanoseconds per k-iteration, for each cost in isolation. */
  readonly step: Readonly<Record<'products' | 'latency', number>>;
  /**
   * k-iterations per tile, or per split-K slice of a tile. With FP32 emulation, each split product
   * counts separately.
   */
  readonly steps: number;
  readonly rounds: number;
  /**
   * Milliseconds of each component in isolation. `before` covers the pre-pass kernels and their
   * launches.
   */
  readonly parts: Readonly<Record<'multiprocessors' | 'dram' | 'launch' | 'before', number>>;
}

/** Losses relative to MMAs at the clock of the datasheet peak. */
export const WARP_GROUP_COSTS = [
  'power',
  'latency',
  'barriers',
  'narrow',
  'promotion',
  'waves',
  'padding',
  'stores',
  'start',
  'dram',
  'launch',
  'before',
] as const;
export type WarpGroupCost = (typeof WARP_GROUP_COSTS)[number];

export interface WarpGroupInput {
  readonly plan: WarpGroupPlan;
  readonly machine: WarpGroupMachine;
  readonly calibration: WarpGroupCalibration;
  readonly without?: readonly WarpGroupCost[];
}

const counted = ({ without }: WarpGroupInput, cost: WarpGroupCost): 0 | 1 =>
  without?.includes(cost) === true ? 0 : 1;

export function predictWarpGroups(input: WarpGroupInput): WarpGroupPrediction {
  const { plan, machine, calibration } = input;
  const { wgmma } = plan;
  const { problem, schedule } = plan.spec;
  const work = workOf(input);
  const dram = (counted(input, 'dram') * compulsoryBytes(problem)) / machine.dramGBps / 1e6;
  const latency = (counted(input, 'latency') * calibration.latencyNanoseconds) / (wgmma.stages - 1);
  const at = (clockMHz: number) => {
    const products = (work.productCycles * 1000) / clockMHz;
    const steps = work.rounds * work.steps * Math.hypot(products, latency);
    const multiprocessors = (steps + work.otherNanoseconds) / 1e6;
    return { products, multiprocessors, running: Math.hypot(multiprocessors, dram) };
  };
  const sustained = sustainedClock(machine, calibration, {
    tensorCycles: work.tensorCycles,
    millisecondsAt: clock => at(clock).running,
  });
  // The compute ceiling assumes the clock of the datasheet peak, so a power limit that allows this
  // clock is not a loss.
  const clockMHz =
    counted(input, 'power') === 1 ? sustained : Math.max(sustained, machine.peakClockMHz);
  const { products, multiprocessors, running } = at(clockMHz);
  const isProgrammatic = schedule.launch === 'programmatic';
  const { launchMicroseconds, programmaticMicroseconds } = calibration;
  const between = isProgrammatic ? programmaticMicroseconds : launchMicroseconds;
  const launch = (counted(input, 'launch') * between) / 1000;
  const before = counted(input, 'before') * prePassMilliseconds(input);
  const milliseconds = running + launch + before;
  return {
    milliseconds,
    tflops: flops(problem) / milliseconds / 1e9,
    clockMHz,
    step: { products, latency },
    steps: work.steps,
    rounds: work.rounds,
    parts: { multiprocessors, dram, launch, before },
  };
}

interface Work {
  readonly rounds: number;
  readonly steps: number;
  /** SM cycles per k-iteration: MMAs, synchronization and FP32 promotion. */
  readonly productCycles: number;
  /** Tensor-core cycles of the whole grid, summed over all SMs. */
  readonly tensorCycles: number;
  /** Time of the busiest SM outside its k-iterations, in nanoseconds. */
  readonly otherNanoseconds: number;
}

function workOf(input: WarpGroupInput): Work {
  const { plan, machine, calibration } = input;
  const { wgmma } = plan;
  const { spec, tile, dtypes } = plan;
  const { problem } = spec;
  const { splitK, fp32Emulation, element, kernelSchedule } = wgmma;
  const { size, count: clusters } = clustersOf(problem, tile, wgmma);
  const even = clusters / residentClusters(machine.device, size);
  const rounds = counted(input, 'waves') === 1 ? Math.ceil(even) : even;
  const steps =
    Math.ceil(Math.ceil(problem.k / tile.k) / splitK) * (fp32Emulation?.products.length ?? 1);
  const computed = computedTile(wgmma, tile);
  const instructions =
    (computed.m / GROUP_ROWS) * ((tile.k * DTYPE_BYTES[element]) / INSTRUCTION_BYTES);
  const reading = counted(input, 'narrow') * (READ.rows + READ.column * computed.n);
  const multiplying =
    instructions *
    Math.max(CYCLES_PER_COLUMN * computed.n, reading) *
    (counted(input, 'padding') === 1 ? 1 : usefulShare(plan));
  const accumulators = tile.m * tile.n;
  const promoting =
    fp32Emulation === undefined
      ? 0
      : (counted(input, 'promotion') *
          (calibration.promotionCycles + accumulators / ADDITIONS_PER_CYCLE)) /
        fp32Emulation.promotion;
  const syncCycles = counted(input, 'barriers') * calibration.stepCycles;
  // Stores and the exchange of split-K partial results use an equal share of the L2 bandwidth on
  // each SM.
  const bytesPerNanosecond = machine.l2GBps / machine.multiprocessors;
  const stored = Math.min(tile.m, problem.m) * tile.n * DTYPE_BYTES[dtypes.c];
  const exchanged = (accumulators * DTYPE_BYTES.f32 * (splitK - 1)) / splitK;
  const splitKSync = splitK === 1 ? 0 : calibration.meetingMicroseconds * 1000;
  const store = counted(input, 'stores') * ((stored + exchanged) / bytesPerNanosecond + splitKSync);
  const start = counted(input, 'start') * calibration.blockMicroseconds * 1000;
  // Ping-pong consumers store a tile during the MMAs of the next tile. Split-K blocks do not loop
  // over tiles.
  const stores = kernelSchedule === 'pingpong' ? 1 : rounds;
  const starts = splitK === 1 ? 1 : rounds;
  return {
    rounds,
    steps,
    productCycles: multiplying + syncCycles + promoting,
    tensorCycles: clusters * size * steps * multiplying,
    otherNanoseconds: starts * start + stores * store,
  };
}

/** Returns the fraction of the computed FMAs that are inside C and K. */
export function usefulShare({ spec, tile, wgmma }: WarpGroupPlan): number {
  const { m, n, k, batch } = spec.problem;
  const { splitK } = wgmma;
  const { size, count } = clustersOf(spec.problem, tile, wgmma);
  const depth = Math.ceil(Math.ceil(k / tile.k) / splitK) * splitK * tile.k;
  return (m * n * k * batch) / (count * (size / splitK) * tile.m * tile.n * depth);
}

/**
 * Returns the time of the pre-pass kernels that repack operands for TMA or split f32 operands. Each
 * repacked operand requires one launch that reads and writes all of it.
 */
function prePassMilliseconds({ plan, machine, calibration }: WarpGroupInput): number {
  const { wgmma } = plan;
  const { problem } = plan.spec;
  const repacked = (['a', 'b'] as const).filter(operand => wgmma[operand].repacked !== undefined);
  const read = repacked.reduce((sum, operand) => {
    const { rows, columns } = extent(problem, operand);
    return sum + problem.batch * rows * columns * DTYPE_BYTES[problem[operand].dtype];
  }, 0);
  const moved = (read + wgmma.workspaceBytes) / machine.dramGBps / 1e6;
  return moved + (repacked.length * calibration.launchMicroseconds) / 1000;
}

interface Load {
  readonly tensorCycles: number;
  readonly millisecondsAt: (clockMHz: number) => number;
}

const MIN_CLOCK_SHARE = 0.3;
const HALVINGS = 24;

/**
 * Returns the highest clock in MHz at which the average power stays within the limit, but at least
 * `MIN_CLOCK_SHARE` of the boost clock.
 */
function sustainedClock(
  { clockMHz, watts }: WarpGroupMachine,
  { idleWatts, tensorNanojoules }: WarpGroupCalibration,
  { tensorCycles, millisecondsAt }: Load,
): number {
  const isWithin = (clock: number): boolean => {
    // The energy is in millijoules, so the quotient is in watts.
    const energy = tensorCycles * tensorNanojoules * (clock / REFERENCE_MHZ) ** 2 * 1e-6;
    return idleWatts + energy / millisecondsAt(clock) <= watts;
  };
  if (isWithin(clockMHz)) return clockMHz;
  let [low, high] = [clockMHz * MIN_CLOCK_SHARE, clockMHz];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (isWithin(middle)) low = middle;
    else high = middle;
  }
  return low;
}
