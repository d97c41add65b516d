/**
 * Predicts the time of a pipelined SIMT kernel whose blocks run over the SMs in rounds. A
 * k-iteration combines FMAs, copies and L2 traffic of the resident blocks with the latency of a
 * single block. The result combines the SM time with the DRAM transfer time, and adds the launches.
 * Power limits the clock. The model needs no plan, so that a choice can predict hundreds of
 * schedules.
 */
import type { Device } from '../../hardware/devices';
import { WARP_LANES } from '../../hardware/warp';
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

/** Returns the predicted time in milliseconds. */
export function simtMilliseconds(
  kernel: SimtKernel,
  machine: SimtMachine,
  calibration: SimtCalibration,
): number {
  const { tile, constants, blocksPerSm, splitK, steps } = kernel;
  const { overlap, blockCycles } = calibration;
  const multiplyAdds = (tile.m * tile.n * tile.k) / machine.lanes;
  const copies = sum(kernel.copied, one => copyCycles(one, calibration));
  const arrival = sum(kernel.copied, one => one.bytes) / calibration.l2BytesPerCycle;
  const busy = constants.busy * multiplyAdds + copies;
  const alone = constants.alone * multiplyAdds;
  const stored =
    (tile.m * tile.n * ELEMENT_BYTES) /
    (kernel.storesVectors
      ? calibration.vectorStoreBytesPerCycle
      : calibration.scalarStoreBytesPerCycle);
  const roundCycles = (resident: number): number =>
    steps * (norm(overlap, resident * busy, resident * arrival, alone) + calibration.stepCycles) +
    blockCycles +
    calibration.latencyCycles +
    resident * stored;
  const share = Math.ceil(kernel.blocks / machine.multiprocessors);
  const full = Math.floor(share / blocksPerSm);
  const rest = share - full * blocksPerSm;
  // After a full round, the blocks of an SM end together, so that it receives several new blocks
  // before other SMs are free.
  const last = full === 0 ? rest : rest + constants.refill * (blocksPerSm - rest);
  const cycles = full * roundCycles(blocksPerSm) + (rest === 0 ? 0 : roundCycles(last));
  const partialBytes = splitK === 1 ? 0 : splitK * kernel.results * ELEMENT_BYTES;
  const dram = kernel.compulsoryBytes / machine.dramGBps / 1e6;
  const reduction =
    splitK === 1
      ? 0
      : (partialBytes + kernel.results * ELEMENT_BYTES) / calibration.reducedGBps / 1e6 +
        calibration.reductionMicroseconds / 1000;
  const atClock = (clockMHz: number): number => norm(overlap, cycles / clockMHz / 1000, dram, 0);
  const running = atClock(
    machine.clockMHz * clockShare(kernel, machine, atClock(machine.clockMHz)),
  );
  return running + reduction + calibration.launchMicroseconds / 1000;
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
  return (
    most * ((one / most) ** power + (two / most) ** power + (three / most) ** power) ** (1 / power)
  );
}
