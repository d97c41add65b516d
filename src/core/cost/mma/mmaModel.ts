/**
 * Predicts the time of an `mma` kernel with asynchronous copies, whose blocks run over the SMs in
 * rounds. A k-iteration combines the MMAs and the copies of the resident blocks with the latency
 * that the stages do not hide. The result combines the SM time with the DRAM transfer time, and
 * adds the launches. The model covers 16-bit operands whose rows TMA does not support.
 */
import type { Device } from '../../hardware/devices';
import { warpGroupMachine, type WarpGroupMachine } from '../wgmma/wgmmaModel';
import type { MmaCalibration } from './mmaCalibration';

/** Dense FMAs of 16-bit tensor cores per SM and cycle. */
const FMAS_PER_CYCLE = 2048;
const ROW_BYTES = 128;

/** Copies of an operand tile of one k-iteration. */
export interface CopiedRows {
  /** Rows or columns of C inside the matrix; each has `ROW_BYTES` bytes along K. */
  readonly rows: number;
  /** Bytes per copy instruction of a lane. */
  readonly widthBytes: number;
  /** Whether K is not the contiguous dimension in memory. */
  readonly isTransposed: boolean;
}

export interface MmaKernel {
  readonly tile: Readonly<Record<'m' | 'n' | 'k', number>>;
  readonly stages: number;
  readonly splitK: number;
  /** Thread blocks of the grid, including all slices, and resident blocks per SM. */
  readonly blocks: number;
  readonly blocksPerSm: number;
  /** k-iterations per block. */
  readonly steps: number;
  readonly copied: readonly CopiedRows[];
  readonly compulsoryBytes: number;
  /** Elements of C, including all batch entries. */
  readonly outputs: number;
}

export type MmaMachine = Pick<WarpGroupMachine, 'multiprocessors' | 'peakClockMHz' | 'dramGBps'>;

/** Returns the machine, or null for a device whose boost clock or tensor-core peak is unknown. */
export const mmaMachine = (device: Device): MmaMachine | null => warpGroupMachine(device);

const PARTIAL_SUM_BYTES = 4;

export function mmaMilliseconds(
  kernel: MmaKernel,
  machine: MmaMachine,
  calibration: MmaCalibration,
): number {
  const { tile, blocks, blocksPerSm, splitK } = kernel;
  const { multiprocessors, dramGBps } = machine;
  const resident = multiprocessors * blocksPerSm;
  const rounds = Math.floor(blocks / resident);
  const last = Math.ceil((blocks - rounds * resident) / multiprocessors);
  const stepOf = stepNanoseconds(kernel, machine, calibration);
  const stored = tile.m * tile.n * calibration.storedNanoseconds;
  const running =
    rounds * (kernel.steps * stepOf(blocksPerSm) + blocksPerSm * stored) +
    (last === 0 ? 0 : kernel.steps * stepOf(last) + last * stored) +
    1000 * calibration.blockMicroseconds * (rounds + (last === 0 ? 0 : 1));
  const dram = kernel.compulsoryBytes / (calibration.dramShare * dramGBps);
  const reduction =
    splitK === 1
      ? 0
      : 1000 * calibration.reductionMicroseconds +
        (splitK * kernel.outputs * PARTIAL_SUM_BYTES) / calibration.reducedGBps;
  const launch = 1000 * calibration.launchMicroseconds;
  return (Math.hypot(running, dram) + launch + reduction) / 1e6;
}

/** Returns a function from the number of resident blocks to the time of their k-iteration. */
function stepNanoseconds(
  { tile, stages, copied }: MmaKernel,
  { peakClockMHz }: MmaMachine,
  calibration: MmaCalibration,
): (blocks: number) => number {
  const cycles = (tile.m * tile.n * tile.k) / (FMAS_PER_CYCLE * calibration.tensorShare);
  const isTransposed = copied.some(one => one.isTransposed);
  const multiplying =
    (1000 * cycles) / peakClockMHz + (isTransposed ? calibration.transposedStepNanoseconds : 0);
  const copying = copied.reduce(
    (sum, one) =>
      sum +
      one.rows *
        (calibration.rowNanoseconds +
          (ROW_BYTES / one.widthBytes) *
            calibration.copyNanoseconds *
            (one.isTransposed ? calibration.transposedCopyFactor : 1)),
    0,
  );
  const latency = calibration.latencyNanoseconds / (stages - 1);
  return blocks => Math.hypot(blocks * overlapped(multiplying, copying), latency);
}

/** Combines the times of MMAs and copies by their 6-norm, which is nearly the maximum of both. */
const overlapped = (one: number, other: number): number =>
  Math.cbrt(Math.hypot(one ** 3, other ** 3));
