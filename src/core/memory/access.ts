/**
 * Defines the result of the access analysis: the cost of each access site in global and shared
 * memory.
 */
import type { GlobalOperand } from '../spec/resolved';
import { WIDEST_BYTES } from '../plan/simt/lanes';

/** Source location of an access in a kernel without a spec, derived from the compiled code. */
export interface SourceLocation {
  /** One-based source line; null if the compiler does not report it. */
  readonly line: number | null;
  /** Source expression of the access, such as `A[(i + i0) * K + k]`. */
  readonly code: string;
  /**
   * Most frequent stride between neighboring lanes, in elements; null if no stride covers half of
   * the lanes.
   */
  readonly lanesApart: number | null;
  /** Name of the kernel argument that equals this stride, such as `K`; null if there is none. */
  readonly apartName: string | null;
}

/** Name and operation of an access site. */
export interface SiteName {
  readonly site: string;
  readonly op: 'load' | 'store';
}

export interface GlobalAccess {
  readonly site: string;
  readonly operand: GlobalOperand;
  readonly op: 'load' | 'store';
  readonly widthBytes: number;
  readonly sectorsPerRequest: number;
  readonly idealSectors: number;
  /** Distinct bytes that the lanes of a request access. */
  readonly usedBytesPerRequest: number;
  readonly movedBytesPerRequest: number;
  /** Number of warp requests in the whole grid. Boundary tiles count as full tiles. */
  readonly requests: number;
  /** Stride between consecutive lanes in elements; null if the stride is not uniform. */
  readonly laneStride: number | null;
  /** Absent for access sites that were derived from the loop IR. */
  readonly source?: SourceLocation;
}

/** A wide shared-memory load into which the compiler joins several narrow loads. */
export interface Joined {
  readonly widthBytes: number;
  readonly wavefrontsPerRequest: number;
  readonly requests: number;
}

export interface SharedAccess {
  readonly site: string;
  readonly operand: GlobalOperand;
  readonly op: 'load' | 'store';
  readonly widthBytes: number;
  readonly wavefrontsPerRequest: number;
  /**
   * Minimum number of wavefronts for the same bytes, over all assignments of the bytes to lanes.
   */
  readonly idealWavefronts: number;
  /** Extra wavefronts caused by bank conflicts. */
  readonly conflictsPerRequest: number;
  /** Number of warp requests in the whole grid. Boundary tiles count as full tiles. */
  readonly requests: number;
  /**
   * Minimum padding, in elements per row, that removes all conflicts. Null if there are no
   * conflicts or no tested padding removes them.
   */
  readonly curingPadding: number | null;
  /** Access after compilation; set if the compiler joins adjacent loads of an unrolled loop. */
  readonly joined?: Joined;
  /** Absent for access sites that were derived from the loop IR. */
  readonly source?: SourceLocation;
}

/**
 * Tests whether the analysis counts a load as written, although the compiler could still join it
 * into a wider load.
 */
export const isAsWritten = ({ widthBytes, joined }: Pick<SharedAccess, 'widthBytes' | 'joined'>) =>
  widthBytes < WIDEST_BYTES && joined === undefined;
