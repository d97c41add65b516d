/**
 * Predicts the time of a pipelined SIMT kernel whose blocks run over the SMs in rounds. A
 * k-iteration combines FMAs, copies and L2 traffic of the resident blocks with the latency of a
 * single block. The result combines the SM time with the DRAM transfer time, and adds the launches.
 * Power limits the clock. The model needs no plan, so that a choice can predict hundreds of
 * schedules.
 */
import type { Device } from '../../hardware/devices';
import { WARP_LANES } from '../../hardware/warp';
import type { ResolvedProblem } from '../../spec/resolved';
import type { SimtCalibration, TileConstants } from './simtCalibration';

export interface SimtMachine {
  readonly multiprocessors: number;
  readonly clockMHz: number;
  /** FMAs per cycle and SM. */
  readonly lanes: number;
  readonly dramGBps: number;
  /** Power limit in watts; Infinity if not published. */
  readonly watts: number;
}

/** Returns the machine, or null for a device whose boost clock or FP32 peak is unknown. */
export function simtMachine(device: Device): SimtMachine | null {
  const { multiprocessors, boostClockMHz: clockMHz, measured, powerWatts = Infinity } = device;
  const peak = device.peakTflops.f32;
  if (clockMHz === undefined || peak === undefined) return null;
  return {
    multiprocessors,
    clockMHz,
    lanes: (peak * 1e6) / (2 * multiprocessors * clockMHz),
    dramGBps: measured?.memoryBandwidthGBps ?? device.memoryBandwidthGBps,
    watts: powerWatts,
  };
}

/** How a block copies its tile of A or B. */
export interface CopiedTile {
  /**
   * Elements per lane and copy instruction. If K is contiguous in memory: `transposed` for a tile
   * in shared memory, and `strided` for loads to registers.
   */
  readonly width: 1 | 2 | 4 | 'transposed' | 'strided';
  /** Whether all copies of a lane are in the same column, so that their addresses are simple. */
  readonly isRegular: boolean;
  readonly elements: number;
  /** Bytes per k-iteration in whole sectors. */
  readonly bytes: number;
}

export interface SimtKernel {
  readonly problem: ResolvedProblem;
  readonly tile: Readonly<Record<'m' | 'n' | 'k', number>>;
  readonly thread: Readonly<Record<'m' | 'n', number>>;
  readonly constants: TileConstants;
  readonly blocksPerSm: number;
  readonly splitK: number;
  /** Thread blocks of the grid, including all slices. */
  readonly blocks: number;
  readonly steps: number;
  readonly copied: readonly CopiedTile[];
  readonly storesVectors: boolean;
  /** Elements of C, without slices. */
  readonly results: number;
  readonly compulsoryBytes: number;
}

const ELEMENT_BYTES = 4;

/** The time of a kernel, and its terms at the boost clock. Times are in milliseconds. */
export interface SimtPrediction {
  readonly milliseconds: number;
  /** Time at the boost clock, without a power limit. */
  readonly atBoostClock: number;
  /** Terms of `atBoostClock`; the first two overlap. */
  readonly parts: Readonly<Record<'multiprocessors' | 'dram' | 'reduction' | 'launch', number>>;
  /** SM cycles per k-iteration of one block. `fmas` assumes the peak rate. */
  readonly block: Readonly<Record<'fmas' | 'busy' | 'copies' | 'arrival' | 'alone', number>>;
  /**
   * Blocks per SM: the average, those of the SM with the most blocks, and of that SM the blocks in
   * its first round and after its full rounds.
   */
  readonly perSm: Readonly<Record<'average' | 'most' | 'resident' | 'rest', number>>;
  /** SM cycles of the first round: all k-iterations, and prologue, epilogue and stores. */
  readonly round: Readonly<Record<'steps' | 'overhead', number>>;
}

/** Returns the predicted time in milliseconds. */
export const simtMilliseconds = (
  kernel: SimtKernel,
  machine: SimtMachine,
  calibration: SimtCalibration,
): number => simtPrediction(kernel, machine, calibration).milliseconds;

/** Predicts the time of a kernel with its terms. */
export function simtPrediction(
  kernel: SimtKernel,
  machine: SimtMachine,
  calibration: SimtCalibration,
): SimtPrediction {
  const { tile, constants, blocksPerSm, splitK, steps } = kernel;
  const { overlap, blockCycles } = calibration;
  const fmas = (tile.m * tile.n * tile.k) / machine.lanes;
  const copies = sum(kernel.copied, one => copyCycles(one, calibration));
  const arrival = sum(kernel.copied, one => one.bytes) / calibration.l2BytesPerCycle;
  const busy = constants.busy * fmas + copies;
  const alone = constants.alone * fmas;
  const stored =
    (tile.m * tile.n * ELEMENT_BYTES) /
    (kernel.storesVectors
      ? calibration.vectorStoreBytesPerCycle
      : calibration.scalarStoreBytesPerCycle);
  const stepsCycles = (blocks: number): number =>
    steps * (norm(overlap, blocks * busy, blocks * arrival, alone) + calibration.stepCycles);
  const roundCycles = (blocks: number, ofSteps = stepsCycles(blocks)): number =>
    ofSteps + blockCycles + calibration.latencyCycles + blocks * stored;
  const most = Math.ceil(kernel.blocks / machine.multiprocessors);
  const resident = Math.min(most, blocksPerSm);
  const ofSteps = stepsCycles(resident);
  const first = roundCycles(resident, ofSteps);
  const full = Math.floor(most / blocksPerSm);
  const rest = most - full * blocksPerSm;
  // After a full round, the blocks of an SM end together, so that it receives several new blocks
  // before other SMs are free.
  const last = rest === 0 ? 0 : roundCycles(rest + constants.refill * (blocksPerSm - rest));
  const cycles = full === 0 ? first : full * first + last;
  const partialBytes = splitK === 1 ? 0 : splitK * kernel.results * ELEMENT_BYTES;
  const dram = kernel.compulsoryBytes / machine.dramGBps / 1e6;
  const reduction =
    splitK === 1
      ? 0
      : (partialBytes + kernel.results * ELEMENT_BYTES) / calibration.reducedGBps / 1e6 +
        calibration.reductionMicroseconds / 1000;
  const launch = calibration.launchMicroseconds / 1000;
  const atClock = (clockMHz: number): number => norm(overlap, cycles / clockMHz / 1000, dram, 0);
  const atBoostClock = atClock(machine.clockMHz);
  const running = atClock(machine.clockMHz * clockShare(kernel, machine, atBoostClock));
  return {
    milliseconds: running + reduction + launch,
    atBoostClock: atBoostClock + reduction + launch,
    parts: { multiprocessors: cycles / machine.clockMHz / 1000, dram, reduction, launch },
    block: { fmas, busy, copies, arrival, alone },
    perSm: { average: kernel.blocks / machine.multiprocessors, most, resident, rest },
    round: { steps: ofSteps, overhead: first - ofSteps },
  };
}

/**
 * Energy model of FP32 kernels, fitted to 30 power-limited default schedules at random shapes
 * (bench/h100-random.jsonl, seed 341). The energy of an FMA includes its share of fragment loads:
 * each operand in a register serves `thread.n` or `thread.m` FMAs.
 */
const POWER = { idleWatts: 130, fmaPicojoules: 19, operandPicojoules: 35 } as const;

/**
 * Returns the sustained clock as a fraction of the boost clock. The power above idle is
 * proportional to the rate and to the square of the clock, and thus to the cube of the clock.
 */
function clockShare(
  { tile, thread, blocks, steps }: SimtKernel,
  { watts }: SimtMachine,
  milliseconds: number,
): number {
  const fmas = blocks * steps * tile.m * tile.n * tile.k;
  const picojoules = POWER.fmaPicojoules + POWER.operandPicojoules * (1 / thread.m + 1 / thread.n);
  const drawn = (fmas * picojoules * 1e-9) / milliseconds;
  return Math.min(1, Math.cbrt((watts - POWER.idleWatts) / drawn));
}

function copyCycles(
  { width, isRegular, elements }: CopiedTile,
  calibration: SimtCalibration,
): number {
  const lanes = typeof width === 'number' ? width : 1;
  const each =
    cyclesOf(width, calibration) + (isRegular || width !== 1 ? 0 : calibration.irregularCycles);
  return (elements / lanes / WARP_LANES) * each;
}

function cyclesOf(width: CopiedTile['width'], calibration: SimtCalibration): number {
  switch (width) {
    case 1:
      return calibration.copy1Cycles;
    case 2:
      return calibration.copy2Cycles;
    case 4:
      return calibration.copy4Cycles;
    case 'strided':
      return calibration.stridedCycles;
    case 'transposed':
      return calibration.transposedCycles;
  }
}

const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, value) => total + of(value), 0);

/** Returns the p-norm: the sum for power 1, nearly the maximum for large powers. */
function norm(power: number, one: number, two: number, three: number): number {
  const most = Math.max(one, two, three);
  if (most === 0) return 0;
  // A choice takes thousands of norms, and the power of 0 and 1 needs no computation.
  const powerOf = (value: number): number =>
    value === most ? 1 : value === 0 ? 0 : (value / most) ** power;
  return most * (powerOf(one) + powerOf(two) + powerOf(three)) ** (1 / power);
}
