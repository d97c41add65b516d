/** The contract of the access analysis: cost per access site in global and shared memory. */
import type { GlobalOperand } from '../spec/resolved';
import { WIDEST_BYTES } from '../plan/simt/lanes';

/** Source location of an access in a kernel without a spec, derived from compiled code. */
export interface SourceLocation {
  /** Source line, from 1; null if the compiler does not report it. */
  readonly line: number | null;
  /** Source text of the access: `A[(i + i0) * K + k]`. */
  readonly code: string;
  /** Elements between most neighboring lanes; null if no stride covers half of them. */
  readonly lanesApart: number | null;
  /** Kernel argument with that value, as named in the source: `K`. */
  readonly apartName: string | null;
}

export interface GlobalAccess {
  readonly site: string;
  readonly operand: GlobalOperand;
  readonly op: 'load' | 'store';
  readonly widthBytes: number;
  readonly sectorsPerRequest: number;
  readonly idealSectors: number;
  /**
   * Distinct bytes that the lanes of a request access, and bytes of the sectors that contain them.
   */
  readonly usedBytesPerRequest: number;
  readonly movedBytesPerRequest: number;
  /** Requests of all warps of the grid; boundary tiles count as full tiles. */
  readonly requests: number;
  /** Elements between consecutive lanes of a request, if the stride is uniform. */
  readonly laneStride: number | null;
  /** Absent for sites of the loop IR. */
  readonly source?: SourceLocation;
}

/** One wide load that replaces several narrow loads. */
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
  /** Minimum wavefronts for the same bytes over all lane orders. */
  readonly idealWavefronts: number;
  /** Extra wavefronts caused by bank conflicts. */
  readonly conflictsPerRequest: number;
  /** Requests of all warps of the grid; boundary tiles count as full tiles. */
  readonly requests: number;
  /**
   * Minimum padding, in elements per row, that removes all conflicts; null if no padding does or
   * none is needed.
   */
  readonly curingPadding: number | null;
  /** The access as compiled, if the compiler joins adjacent loads of an unrolled loop. */
  readonly joined?: Joined;
  /** Absent for sites of the loop IR. */
  readonly source?: SourceLocation;
}

/** Returns whether a load is narrower than the widest load and was not joined by the analysis. */
export const isAsWritten = ({ widthBytes, joined }: Pick<SharedAccess, 'widthBytes' | 'joined'>) =>
  widthBytes < WIDEST_BYTES && joined === undefined;
