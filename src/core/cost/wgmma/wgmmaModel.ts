/**
 * Predicts the time of a `wgmma` kernel whose clusters run over the SMs in rounds. A k-iteration
 * combines its MMAs with the load latency that the stages do not hide. The result combines the SM
 * time with the DRAM transfer time and adds the launch overhead. Power limits the clock. Rows that
 * are not aligned to a cache line take longer to arrive from L2; clusters share these loads. The
 * loads of a partially filled last round take less time. The reduction kernel of two-pass split-K
 * is an additional launch, which reads partial results at the DRAM rate of the pre-pass kernels.
 */
import type { Device, DeviceId } from '../../hardware/devices';
import type { WarpGroupPlan } from '../../plan/plan';
import { reducersOf } from '../../plan/wgmma/clusterSplit';
import { GROUP_ROWS } from '../../plan/wgmma/wgmmaUnits';
import { DTYPE_BYTES } from '../../types/dtype';
import {
  ENERGY_EXPONENT,
  REFERENCE_MHZ,
  rowNanoseconds,
  type WarpGroupCalibration,
} from './wgmmaCalibration';
import { alignmentOf, kernelOf, SECTOR_BYTES, storedLd, type WarpGroupKernel } from './wgmmaKernel';

/** 16-bit FMAs per SM and cycle. */
const FMAS_PER_CYCLE = 2048;
/** Cycles per column of a wgmma instruction with M = 64 and a K extent of 32 bytes. */
const CYCLES_PER_COLUMN = 0.5;
/**
 * Cycles to read the operands of an instruction from shared memory: 16 for the 64 rows of A at 128
 * bytes per cycle, and a fitted number per column of B, which would take 0.25 at the same rate.
 */
const READ = { rows: 16, column: 0.35 } as const;
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
  /** Power limit in watts; Infinity if not published. */
  readonly watts: number;
}

/**
 * Returns the machine, or null for a device whose boost clock or tensor-core peak is unknown.
 */
export function warpGroupMachine(device: Device): WarpGroupMachine | null {
  const { multiprocessors, boostClockMHz: clockMHz, measured, powerWatts } = device;
  const peakTflops = device.peakTflops['bf16-tensor'];
  if (clockMHz === undefined || peakTflops === undefined) return null;
  const peakClockMHz = Math.min(
    clockMHz,
    (peakTflops * 1e6) / (2 * multiprocessors * FMAS_PER_CYCLE),
  );
  return {
    device: device.id,
    multiprocessors,
    clockMHz,
    peakClockMHz,
    watts: powerWatts ?? Infinity,
    dramGBps: measured?.memoryBandwidthGBps ?? device.memoryBandwidthGBps,
  };
}

export interface WarpGroupPrediction {
  readonly milliseconds: number;
  readonly tflops: number;
  /** SM clock in MHz: the boost clock, or the highest clock within the power limit. */
  readonly clockMHz: number;
  /** Whether the power limit determines the clock. */
  readonly isPowerLimited: boolean;
  /** Nanoseconds per k-iteration, for each cost in isolation. */
  readonly step: Readonly<Record<'products' | 'arrival' | 'latency', number>>;
  /**
   * k-iterations per tile, or per split-K slice of a tile. With FP32 emulation, each split product
   * counts separately.
   */
  readonly steps: number;
  readonly rounds: number;
  /**
   * Milliseconds of each component in isolation. `before` covers the pre-pass kernels, and
   * `reduction` the reduction kernel of two-pass split-K; both include the launches.
   */
  readonly parts: Readonly<
    Record<'multiprocessors' | 'dram' | 'launch' | 'before' | 'reduction', number>
  >;
}

/** Losses relative to MMAs at the clock of the datasheet peak. */
export const WARP_GROUP_COSTS = [
  'power',
  'l2',
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
  'reduction',
] as const;
export type WarpGroupCost = (typeof WARP_GROUP_COSTS)[number];

export interface WarpGroupInput {
  readonly plan: WarpGroupPlan;
  readonly machine: WarpGroupMachine;
  readonly calibration: WarpGroupCalibration;
  /** Given SM clock; by default the highest clock within the power limit. */
  readonly clockMHz?: number | undefined;
  readonly without?: readonly WarpGroupCost[];
}

const counted = ({ without }: KernelInput, cost: WarpGroupCost): 0 | 1 =>
  without?.includes(cost) === true ? 0 : 1;

/** Predicts the time of a planned kernel. */
export const predictWarpGroups = ({ plan, ...input }: WarpGroupInput): WarpGroupPrediction =>
  predictKernel(kernelOf(plan), input);

export type KernelInput = Omit<WarpGroupInput, 'plan'>;

/** `work` is that of the kernel, if `boundedWork` has computed it. */
export function predictKernel(
  kernel: WarpGroupKernel,
  input: KernelInput,
  work = workOf(kernel, input),
): WarpGroupPrediction {
  const { machine, calibration } = input;
  const sustained =
    input.clockMHz ??
    sustainedClock(machine, calibration, {
      ...work,
      millisecondsAt: clock => timeAt(clock, work).running,
    });
  // The compute ceiling assumes the clock of the datasheet peak, so a power limit that allows this
  // clock is not a loss.
  const clockMHz =
    counted(input, 'power') === 1 ? sustained : Math.max(sustained, machine.peakClockMHz);
  const { products, multiprocessors, running } = timeAt(clockMHz, work);
  const { launch, before, reduction, dram } = work;
  const milliseconds = running + launch + before + reduction;
  return {
    milliseconds,
    tflops: kernel.flops / milliseconds / 1e9,
    clockMHz,
    isPowerLimited: input.clockMHz === undefined && clockMHz < machine.clockMHz,
    step: { products, arrival: work.arrivalNanoseconds, latency: work.latencyNanoseconds },
    steps: work.steps,
    rounds: work.rounds,
    parts: { multiprocessors, dram, launch, before, reduction },
  };
}

/**
 * Returns the predicted time in milliseconds at the boost clock, a lower bound of the predicted
 * time, with the quantities that it depends on.
 */
export function boundedWork(kernel: WarpGroupKernel, input: KernelInput) {
  const work = workOf(kernel, input);
  const { launch, before, reduction } = work;
  return {
    work,
    bound: timeAt(input.machine.clockMHz, work).running + launch + before + reduction,
  };
}

function timeAt(clockMHz: number, work: Work) {
  const { rounds, storeNanoseconds: store } = work;
  const products = (work.productCycles * 1000) / clockMHz;
  const mainAt = (arrival: number): number =>
    work.steps * combined(overlapped(products, arrival), work.latencyNanoseconds);
  const main = mainAt(work.arrivalNanoseconds);
  const last =
    work.lastArrivalNanoseconds === undefined ? 0 : mainAt(work.lastArrivalNanoseconds) - main;
  const exposed = store + (rounds - 1) * Math.max(0, store - work.hiddenShare * main);
  const multiprocessors = (rounds * main + last + exposed + work.startNanoseconds) / 1e6;
  return { products, multiprocessors, running: combined(multiprocessors, work.dram) };
}

/** Equals Math.hypot, which is slower. */
const combined = (one: number, other: number): number => Math.sqrt(one * one + other * other);

/** Combines the times of MMAs and loads by their 6-norm, which is nearly the maximum of both. */
function overlapped(one: number, other: number): number {
  const [cube, otherCube] = [one * one * one, other * other * other];
  return Math.cbrt(Math.sqrt(cube * cube + otherCube * otherCube));
}

interface Work {
  readonly rounds: number;
  readonly steps: number;
  /** SM cycles per k-iteration: MMAs, synchronization and FP32 promotion. */
  readonly productCycles: number;
  /** Time per k-iteration in which the L2 cache delivers the rows of both tiles. */
  readonly arrivalNanoseconds: number;
  /** The same time in a last round that follows full rounds and occupies a part of the SMs. */
  readonly lastArrivalNanoseconds: number | undefined;
  /** Load latency per k-iteration that the stages do not hide. */
  readonly latencyNanoseconds: number;
  /** Tensor-core cycles of the whole grid, and bytes that its blocks load into shared memory. */
  readonly tensorCycles: number;
  readonly loadedBytes: number;
  /** Time of the busiest SM for prologues and drains, and its time per tile for stores. */
  readonly startNanoseconds: number;
  readonly storeNanoseconds: number;
  /** Fraction of the main loop that hides the stores of the previous tile. */
  readonly hiddenShare: number;
  /** Milliseconds of DRAM transfers, the launch, the pre-pass kernels and the reduction kernel. */
  readonly dram: number;
  readonly launch: number;
  readonly before: number;
  readonly reduction: number;
}

function workOf(kernel: WarpGroupKernel, input: KernelInput): Work {
  const { machine, calibration } = input;
  const { tile, splitK, clusterSize, clusters, resident } = kernel;
  const even = clusters / resident;
  const rounds = counted(input, 'waves') === 1 ? Math.ceil(even) : even;
  const steps = sliceSteps(kernel) * kernel.products;
  const instructions = (tile.m / GROUP_ROWS) * ((tile.k * kernel.elementBytes) / INSTRUCTION_BYTES);
  const reading = counted(input, 'narrow') * (READ.rows + READ.column * tile.n);
  const multiplying =
    instructions *
    Math.max(CYCLES_PER_COLUMN * tile.n, reading) *
    (counted(input, 'padding') === 1 ? 1 : usefulShareOf(kernel));
  const arrival = counted(input, 'l2') * arrivalOf(kernel, calibration, machine);
  const accumulators = tile.m * tile.n;
  const promoting =
    kernel.promotion === undefined
      ? 0
      : (counted(input, 'promotion') *
          (calibration.promotionCycles + accumulators / ADDITIONS_PER_CYCLE)) /
        kernel.promotion;
  const syncCycles =
    counted(input, 'barriers') *
    (kernel.isPingpong ? calibration.pingpongStepCycles : calibration.cooperativeStepCycles);
  // Stores and the exchange of split-K partial results use an equal share of the bandwidth on each
  // SM.
  const bytesPerNanosecond = calibration.storedGBps / machine.multiprocessors;
  const stored = storedBytes(kernel, calibration);
  const reduced = accumulators / reducersOf(tile.n, splitK);
  const exchanged = reduced * DTYPE_BYTES.f32 * (splitK - 1);
  const splitKSync = splitK === 1 ? 0 : calibration.meetingMicroseconds * 1000;
  const unaligned = unalignedNanoseconds(kernel.stores, calibration) * reduced;
  const finishing = kernel.epilogueNanoseconds * reduced;
  const store = (stored + exchanged) / bytesPerNanosecond + splitKSync + unaligned + finishing;
  const start =
    counted(input, 'start') *
    1000 *
    (calibration.blockMicroseconds + calibration.clusterMicroseconds * Math.log2(clusterSize));
  // Split-K blocks do not loop over tiles.
  const starts = splitK === 1 ? 1 : rounds;
  const between =
    calibration.launchMicroseconds * (kernel.isProgrammatic ? calibration.programmaticShare : 1);
  return {
    rounds,
    steps,
    productCycles: multiplying + syncCycles + promoting,
    arrivalNanoseconds: arrival,
    lastArrivalNanoseconds:
      rounds > 1 && rounds > even ? arrival * lastShareOf(even, calibration) : undefined,
    latencyNanoseconds:
      (counted(input, 'latency') * calibration.latencyNanoseconds) / (kernel.stages - 1),
    tensorCycles: clusters * clusterSize * steps * multiplying,
    loadedBytes: clusters * clusterSize * steps * (tile.m + tile.n) * tile.k * kernel.elementBytes,
    startNanoseconds: starts * start,
    storeNanoseconds: counted(input, 'stores') * store,
    hiddenShare: kernel.isPingpong ? calibration.hiddenStoreShare : 0,
    dram: (counted(input, 'dram') * kernel.compulsoryBytes) / machine.dramGBps / 1e6,
    launch: (counted(input, 'launch') * between) / 1000,
    before: counted(input, 'before') * passMilliseconds(kernel.prePass, input),
    reduction: counted(input, 'reduction') * reductionMilliseconds(kernel, input),
  };
}

/**
 * Returns the bytes of the stores of a tile of C or of partial results. Contiguous runs that do not
 * start and end at sectors cost more.
 */
function storedBytes(
  kernel: WarpGroupKernel,
  { partialSectorBytes }: WarpGroupCalibration,
): number {
  const { problem, tile, outputBytes } = kernel;
  const isRow = problem.c.layout === 'row';
  const rows = Math.min(tile.m, problem.m);
  const [runs, elements] = isRow ? [rows, tile.n] : [tile.n, rows];
  const bytes = elements * outputBytes;
  const isPartial =
    alignmentOf(storedLd(problem, kernel), outputBytes) < SECTOR_BYTES ||
    bytes % SECTOR_BYTES !== 0;
  return runs * (bytes + (isPartial ? partialSectorBytes : 0));
}

/**
 * Returns the arrival time of the last of `even` rounds as a fraction of that of a full round: the
 * SMs without a tile leave their share of the L2 bandwidth to the others.
 */
function lastShareOf(even: number, { lastRoundShare }: WarpGroupCalibration): number {
  return lastRoundShare + (1 - lastRoundShare) * (even - Math.floor(even));
}

/** Returns the time per element of C to store rows that are not multiples of 16 bytes. */
function unalignedNanoseconds(
  stores: WarpGroupKernel['stores'],
  { scatteredNanoseconds, stagedNanoseconds }: WarpGroupCalibration,
): number {
  if (stores === 'aligned') return 0;
  return stores === 'staged' ? stagedNanoseconds : scatteredNanoseconds;
}

/** Returns the time per k-iteration in which L2 delivers the rows of both tiles to an SM. */
function arrivalOf(
  { loads, clusters, resident, clusterSize }: WarpGroupKernel,
  calibration: WarpGroupCalibration,
  { multiprocessors }: WarpGroupMachine,
): number {
  const active = (Math.min(clusters, resident) * clusterSize) / multiprocessors;
  let rows = 0;
  for (const { alignment, count, padded, isShared, isNarrow } of loads)
    rows +=
      (count + calibration.paddedRowFactor * padded) *
      rowNanoseconds(calibration, alignment) *
      (isShared ? calibration.multicastFactor : 1) *
      (isNarrow ? calibration.narrowBoxFactor : 1);
  return Math.max(active, calibration.loneShare) * rows;
}

/** Returns the fraction of the computed FMAs that are inside C and K. */
export const usefulShare = (plan: WarpGroupPlan): number => usefulShareOf(kernelOf(plan));

function usefulShareOf(kernel: WarpGroupKernel): number {
  const { problem, tile, clusters, clusterSize } = kernel;
  const { m, n, k, batch } = problem;
  const depth = sliceSteps(kernel) * tile.k;
  return (m * n * k * batch) / (clusters * clusterSize * tile.m * tile.n * depth);
}

/** Returns the number of k-iterations per slice of K: of all of K without split-K. */
const sliceSteps = ({ problem, tile, splitK, twoPass }: WarpGroupKernel): number =>
  Math.ceil(Math.ceil(problem.k / tile.k) / (splitK * (twoPass?.slices ?? 1)));

/**
 * Returns the time of kernels that copy or reduce. Each pre-pass kernel repacks an operand for TMA,
 * or splits an f32 operand, and reads and writes all of it.
 */
const passMilliseconds = (
  { launches, bytes }: WarpGroupKernel['prePass'],
  { machine, calibration }: KernelInput,
): number =>
  bytes / (calibration.prePassShare * machine.dramGBps) / 1e6 +
  (launches * calibration.prePassMicroseconds) / 1000;

/**
 * Returns the time of the reduction kernel of two-pass split-K. The launch and the bandwidth are
 * those of a pre-pass kernel; partial results in the L2 cache may arrive faster.
 */
const reductionMilliseconds = ({ twoPass }: WarpGroupKernel, input: KernelInput): number =>
  twoPass === undefined ? 0 : passMilliseconds({ launches: 1, bytes: twoPass.reducedBytes }, input);

interface Load extends Pick<Work, 'tensorCycles' | 'loadedBytes'> {
  readonly millisecondsAt: (clockMHz: number) => number;
}

const MIN_CLOCK_SHARE = 0.3;
const HALVINGS = 16;

/**
 * Returns the highest clock in MHz at which the average power stays within the limit, but at least
 * `MIN_CLOCK_SHARE` of the boost clock.
 */
function sustainedClock(
  { clockMHz, watts }: WarpGroupMachine,
  { idleWatts, tensorNanojoules, loadedPicojoules }: WarpGroupCalibration,
  { tensorCycles, loadedBytes, millisecondsAt }: Load,
): number {
  // The energy is in millijoules, so that its quotient with the time is in watts.
  const atReference =
    tensorCycles * tensorNanojoules * 1e-6 + loadedBytes * loadedPicojoules * 1e-9;
  const isWithin = (clock: number): boolean => {
    const energy = atReference * (clock / REFERENCE_MHZ) ** ENERGY_EXPONENT;
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
