/**
 * How long a kernel of `wgmma` will take: rounds of clusters over the multiprocessors, each step along K as long as its products
 * or as what a ring of stages does not hide of a load's latency; at least what DRAM takes; its launches; all of it at the clock
 * that the power limit leaves. Leaves out reads of the L2 cache and gains of clusters: the records tell of neither.
 */
import { compulsoryBytes } from '../../plan/traffic';
import type { Device, DeviceId } from '../../hardware/devices';
import type { WarpGroupPlan } from '../../plan/plan';
import { clustersAtOnce, clustersOf, computedTile, GROUP_ROWS } from '../../plan/wgmma/wgmma';
import { DTYPE_BYTES } from '../../types/dtype';
import { extent, flops } from '../../spec/resolved';
import { REFERENCE_MHZ, type WarpGroupCalibration } from './wgmmaCalibration';

/** Multiply-adds of a multiprocessor in 16 bits, a cycle. */
const HALVES_A_CYCLE = 2048;
/** Cycles of an instruction of 64 rows and 32 bytes of depth, for a column. */
const CYCLES_A_COLUMN = 0.5;
/** Shared memory gives 128 bytes a cycle: 16 cycles for A's 64 rows, and a quarter for each column of B. */
const READ = { rows: 16, column: 0.25 } as const;
const INSTRUCTION_BYTES = 32;
/** Additions in f32 of a multiprocessor, a cycle. */
const ADDITIONS_A_CYCLE = 128;

/** What the model needs of a device of compute capability 9.0. */
export interface WarpGroupMachine {
  readonly device: DeviceId;
  readonly multiprocessors: number;
  readonly clockMHz: number;
  /** At which the datasheet states what tensor cores multiply: the boost clock or less. */
  readonly peakClockMHz: number;
  readonly dramGBps: number;
  readonly l2GBps: number;
  /** Infinity where it is not published. */
  readonly watts: number;
}

/** Null for a device without a clock, a peak, or an L2 cache whose rate nobody published or measured. */
export function warpGroupMachine(device: Device): WarpGroupMachine | null {
  const { multiprocessors, boostClockMHz: clockMHz, l2Read, measured, powerWatts } = device;
  const peakTflops = device.peakTflops['bf16-tensor'];
  if (clockMHz === undefined || l2Read === undefined || peakTflops === undefined) return null;
  const peakClockMHz = Math.min(
    clockMHz,
    (peakTflops * 1e6) / (2 * multiprocessors * HALVES_A_CYCLE),
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
  /** Of the multiprocessors: the boost clock, or what the power limit leaves. */
  readonly clockMHz: number;
  /** Nanoseconds of a step along K if that alone counted. */
  readonly step: Readonly<Record<'products' | 'latency', number>>;
  /** Along K, of a tile or its part; and tiles of the busiest multiprocessor. */
  readonly steps: number;
  readonly rounds: number;
  /** Milliseconds of each by itself; `before`: kernels that lay operands anew, with their launches. */
  readonly parts: Readonly<Record<'multiprocessors' | 'dram' | 'launch' | 'before', number>>;
}

/** What costs time beside products at the boost clock. */
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
  /** What is to cost nothing. */
  readonly without?: readonly WarpGroupCost[];
}

/** A factor of what it costs. */
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
  // The roof is of the clock of the datasheet's peak: beyond it a limit costs nothing.
  const clockMHz =
    counted(input, 'power') === 1 ? sustained : Math.max(sustained, machine.peakClockMHz);
  const { products, multiprocessors, running } = at(clockMHz);
  const isProgrammatic = schedule.launch === 'programmatic';
  const { launchMicroseconds, programmaticMicroseconds } = calibration;
  const between = isProgrammatic ? programmaticMicroseconds : launchMicroseconds;
  const launch = (counted(input, 'launch') * between) / 1000;
  const before = counted(input, 'before') * beforeMilliseconds(input);
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
  /** Of a step: its products, and what stands around them. */
  readonly productCycles: number;
  /** Of all multiprocessors, in which tensor cores multiply. */
  readonly tensorCycles: number;
  /** Of the busiest multiprocessor, beside its steps. */
  readonly otherNanoseconds: number;
}

function workOf(input: WarpGroupInput): Work {
  const { plan, machine, calibration } = input;
  const { wgmma } = plan;
  const { spec, tile, dtypes } = plan;
  const { problem } = spec;
  const { splitK, pieces, element, kernelSchedule } = wgmma;
  const { size, count: clusters } = clustersOf(problem, tile, wgmma);
  const even = clusters / clustersAtOnce(machine.device, size);
  const rounds = counted(input, 'waves') === 1 ? Math.ceil(even) : even;
  const steps = Math.ceil(Math.ceil(problem.k / tile.k) / splitK) * (pieces?.products.length ?? 1);
  const computed = computedTile(wgmma, tile);
  const instructions =
    (computed.m / GROUP_ROWS) * ((tile.k * DTYPE_BYTES[element]) / INSTRUCTION_BYTES);
  const reading = counted(input, 'narrow') * (READ.rows + READ.column * computed.n);
  const multiplying =
    instructions *
    Math.max(CYCLES_A_COLUMN * computed.n, reading) *
    (counted(input, 'padding') === 1 ? 1 : filled(plan));
  const sums = tile.m * tile.n;
  const promoting =
    pieces === undefined
      ? 0
      : (counted(input, 'promotion') * (calibration.promotionCycles + sums / ADDITIONS_A_CYCLE)) /
        pieces.promotion;
  const around = counted(input, 'barriers') * calibration.stepCycles;
  // A multiprocessor has its share of the rate at which the L2 cache takes what is stored; what parts exchange moves as fast.
  const bytesPerNanosecond = machine.l2GBps / machine.multiprocessors;
  const stored = Math.min(tile.m, problem.m) * tile.n * DTYPE_BYTES[dtypes.c];
  const exchanged = (sums * DTYPE_BYTES.f32 * (splitK - 1)) / splitK;
  const meeting = splitK === 1 ? 0 : calibration.meetingMicroseconds * 1000;
  const store = counted(input, 'stores') * ((stored + exchanged) / bytesPerNanosecond + meeting);
  const start = counted(input, 'start') * calibration.blockMicroseconds * 1000;
  // Consumers that take turns store one tile while the next is multiplied; blocks with parts of K do not stay for another tile.
  const stores = kernelSchedule === 'pingpong' ? 1 : rounds;
  const starts = splitK === 1 ? 1 : rounds;
  return {
    rounds,
    steps,
    productCycles: multiplying + around + promoting,
    tensorCycles: clusters * size * steps * multiplying,
    otherNanoseconds: starts * start + stores * store,
  };
}

/** Of the products that are computed, those that C has. */
export function filled({ spec, tile, wgmma }: WarpGroupPlan): number {
  const { m, n, k, batch } = spec.problem;
  const { splitK } = wgmma;
  const { size, count } = clustersOf(spec.problem, tile, wgmma);
  const depth = Math.ceil(Math.ceil(k / tile.k) / splitK) * splitK * tile.k;
  return (m * n * k * batch) / (count * (size / splitK) * tile.m * tile.n * depth);
}

/** Kernels that copy operands for TMA, or write f32 as pieces: one for each, which reads and writes all of it. */
function beforeMilliseconds({ plan, machine, calibration }: WarpGroupInput): number {
  const { wgmma } = plan;
  const { problem } = plan.spec;
  const copied = (['a', 'b'] as const).filter(operand => wgmma[operand].relaid !== undefined);
  const read = copied.reduce((sum, operand) => {
    const { rows, columns } = extent(problem, operand);
    return sum + problem.batch * rows * columns * DTYPE_BYTES[problem[operand].dtype];
  }, 0);
  const moved = (read + wgmma.workspaceBytes) / machine.dramGBps / 1e6;
  return moved + (copied.length * calibration.launchMicroseconds) / 1000;
}

interface Load {
  readonly tensorCycles: number;
  readonly millisecondsAt: (clockMHz: number) => number;
}

/** No GPU clocks lower than this share under a load that it was made for. */
const LEAST_SHARE = 0.3;
const HALVINGS = 24;

/** The highest clock at which the GPU takes no more than its limit, over the whole of the kernel. */
function sustainedClock(
  { clockMHz, watts }: WarpGroupMachine,
  { idleWatts, tensorNanojoules }: WarpGroupCalibration,
  { tensorCycles, millisecondsAt }: Load,
): number {
  const isWithin = (clock: number): boolean => {
    // Millijoules over milliseconds.
    const energy = tensorCycles * tensorNanojoules * (clock / REFERENCE_MHZ) ** 2 * 1e-6;
    return idleWatts + energy / millisecondsAt(clock) <= watts;
  };
  if (isWithin(clockMHz)) return clockMHz;
  let [low, high] = [clockMHz * LEAST_SHARE, clockMHz];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (isWithin(middle)) low = middle;
    else high = middle;
  }
  return low;
}
