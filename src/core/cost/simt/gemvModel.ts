/**
 * Predicts the time of a `gemv` kernel, which is bound by DRAM: compulsory bytes over the part of
 * the bandwidth that the bytes in flight and the distribution of the blocks allow, and launches.
 * The constants are stated, and not fitted to measurements of these kernels.
 */
import { SIMT } from './simtCalibration';
import type { SimtMachine } from './simtModel';

export interface GemvKernel {
  readonly threads: number;
  readonly registersPerThread: number;
  /** Bytes of B that a thread loads per k-iteration. All of them are in flight together. */
  readonly bytesPerThread: number;
  /** Thread blocks of the grid, including all slices. */
  readonly blocks: number;
  readonly splitK: number;
  /** Elements of C, without slices. */
  readonly results: number;
  readonly compulsoryBytes: number;
}

/** Assumed part of the DRAM bandwidth that streaming loads reach. */
const EFFICIENCY = 0.93;

/** Assumed bytes in flight per SM that saturate DRAM: Little's law with 25 B/ns and 1.3 µs. */
const SATURATING_BYTES = 32 * 1024;

const REGISTERS_PER_SM = 65_536;
const THREADS_PER_SM = 2048;
const BLOCKS_PER_SM = 32;
const ELEMENT_BYTES = 4;

/** Origin of the model: no device, and no error at measured shapes. */
export const GEMV_MODEL = { errorPercent: null, fittedOn: [] } as const;

export const gemvBlocksPerSm = ({
  threads,
  registersPerThread,
}: Pick<GemvKernel, 'threads' | 'registersPerThread'>): number =>
  Math.max(
    1,
    Math.min(
      BLOCKS_PER_SM,
      Math.floor(THREADS_PER_SM / threads),
      Math.floor(REGISTERS_PER_SM / (threads * registersPerThread)),
    ),
  );

/** Returns the predicted time in milliseconds. */
export function gemvMilliseconds(
  kernel: GemvKernel,
  { multiprocessors, dramGBps }: Pick<SimtMachine, 'multiprocessors' | 'dramGBps'>,
): number {
  const { threads, bytesPerThread, blocks, splitK, results, compulsoryBytes } = kernel;
  const { launchMicroseconds, reductionMicroseconds, reducedGBps } = SIMT.flat;
  const share = Math.ceil(blocks / multiprocessors);
  const balance = blocks / multiprocessors / share;
  const inFlight = Math.min(share, gemvBlocksPerSm(kernel)) * threads * bytesPerThread;
  const part = EFFICIENCY * balance * Math.min(1, inFlight / SATURATING_BYTES);
  const running = compulsoryBytes / (dramGBps * part) / 1e6;
  const reduced = (splitK + 1) * results * ELEMENT_BYTES;
  const reduction = splitK === 1 ? 0 : reduced / reducedGBps / 1e6 + reductionMicroseconds / 1000;
  return running + reduction + launchMicroseconds / 1000;
}
