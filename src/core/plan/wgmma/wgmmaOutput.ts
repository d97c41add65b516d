/** Epilogue of `wgmma`: how blocks store C, and the shared memory that they need for it. */
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedSpec } from '../../spec/resolved';
import type { Plan } from '../plan';
import { fp32EmulationOf } from '../fp32Emulation';
import { isSpecialized } from './specialization';
import {
  HOPPER_SHARED_BYTES,
  SWIZZLED_START,
  GROUP_ROWS,
  isBatchOff,
  PANEL,
  TMA_STRIDE_BYTES,
  WARP_GROUP,
} from './wgmmaUnits';
import type { WgmmaOutput } from './wgmmaPlan';
import { SOURCE_BARRIER_BYTES, SOURCE_BUFFERS, sourceOf } from './wgmmaSource';

interface Staging {
  /** Bytes of the tiles of all stages, which precede the boxes, and of their barriers. */
  readonly tileBytes: number;
  readonly barrierBytes: number;
  /** Maximum number of buffers without a source. */
  readonly most: number;
}

type Planned = Pick<ResolvedSpec, 'problem' | 'schedule' | 'device'>;
type Tile = Plan['tile'];

/** Number of rows that a warp stages in a box of a row-major C. */
const WARP_ROWS = GROUP_ROWS / 4;
/** Returns whether a box has the rows of C as contiguous dimension: C is column-major. */
export const isTransposedBox = ({
  box,
  columns,
}: Exclude<WgmmaOutput, { readonly by: 'registers' }>): boolean => box[1] === columns;

/** Maximum number of store buffers; more buffers were not faster. */
export const MAX_BUFFERS = 4;

/**
 * Returns how the epilogue stores C. Staging in shared memory requires 16-bit elements and at least
 * 32 columns, and does not support split-K. TMA stores also require aligned strides, and aligned
 * rows or, if C is column-major, columns. Without them, threads store the staged elements if beta
 * is 0 and shared memory has enough space. A beta other than 0 requires that C is a source.
 */
export function outputOf(
  { problem, schedule }: Planned,
  { n }: Tile,
  { tileBytes, barrierBytes, most }: Staging,
): WgmmaOutput {
  const { c, beta } = problem;
  const element = DTYPE_BYTES[c.dtype];
  const unit = TMA_STRIDE_BYTES / element;
  const isRow = c.layout === 'row';
  const contiguous = isRow ? problem.n : problem.m;
  // TMA stores write multiples of 16 bytes, so rows must end at such a multiple. In a test, a store
  // to rows of 63 elements wrote past their end.
  const isAligned = contiguous % unit === 0 && c.ld % unit === 0 && !isBatchOff(problem, 'c', unit);
  const isSplitK = (schedule.splitK ?? 1) > 1;
  const isBoxed = element === 2 && n >= PANEL.narrow;
  if (!isBoxed || isSplitK || (beta !== 0 && !isAligned)) return { by: 'registers' };
  const columns = n >= PANEL.wide ? PANEL.wide : PANEL.narrow;
  const box = isRow ? ([columns, WARP_ROWS] as const) : ([GROUP_ROWS, columns] as const);
  const swizzleBytes = box[0] === PANEL.narrow ? 64 : 128;
  const staged = { columns, box, swizzleBytes } as const;
  const bytes = (schedule.consumers ?? 1) * GROUP_ROWS * columns * element;
  const left = HOPPER_SHARED_BYTES - tileBytes - barrierBytes;
  if (!isAligned) return bytes <= left ? { by: 'threads', ...staged, bytes } : { by: 'registers' };
  const paddingBytes =
    swizzleBytes === 128 ? (SWIZZLED_START - (tileBytes % SWIZZLED_START)) % SWIZZLED_START : 0;
  const padding = paddingBytes === 0 ? {} : { paddingBytes };
  const roomBytes = left - paddingBytes;
  const boxed = { by: 'tma', ...staged, ...padding } as const;
  const fitting = (each: number, limit: number): number =>
    Math.min(limit, Math.floor(roomBytes / each));
  // Without warp specialization or with FP32 emulation, epilogues load their operands themselves.
  const hasSource =
    isSpecialized({ kernelSchedule: schedule.kernelSchedule ?? 'cooperative' }) &&
    fp32EmulationOf(schedule) === undefined;
  const source = hasSource ? sourceOf(problem, TMA_STRIDE_BYTES) : undefined;
  const owners = (schedule.consumers ?? 1) * (isRow ? WARP_GROUP / 32 : 1);
  const withBarrier = bytes + owners * SOURCE_BARRIER_BYTES;
  // The buffers of a source have constant indices, which need no registers.
  const sourceBuffers = source === undefined ? 0 : fitting(withBarrier, MAX_BUFFERS);
  if (source !== undefined && sourceBuffers >= SOURCE_BUFFERS) {
    const buffers = sourceBuffers;
    return { ...boxed, buffers, source, bytes: paddingBytes + buffers * withBarrier };
  }
  if (beta !== 0) return { by: 'registers' };
  const buffers = Math.max(1, fitting(bytes, most));
  return { ...boxed, buffers, bytes: paddingBytes + buffers * bytes };
}

/** Returns the bytes of shared memory that stage C. */
export const stagedBytes = (output: WgmmaOutput): number =>
  output.by === 'registers' ? 0 : output.bytes;

/** Returns the bytes of the fewest buffers that the output requires, with the largest padding. */
export function leastStagedBytes(output: WgmmaOutput): number {
  if (output.by !== 'tma') return stagedBytes(output);
  const { bytes, paddingBytes = 0, buffers, source } = output;
  const each = (bytes - paddingBytes) / buffers;
  return (
    each * (source === undefined ? 1 : SOURCE_BUFFERS) + (paddingBytes === 0 ? 0 : SWIZZLED_START)
  );
}
