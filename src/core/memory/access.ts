/** The contract of the access analysis: the cost of each site in global and shared memory. */
import type { GlobalOperand } from '../spec/resolved';
import { WIDEST_BYTES } from '../plan/simt/lanes';

/** Where the access of a kernel stands that no spec gives: read from what the compiler made of it. */
export interface SourcePlace {
  /** Of the source, from 1; null where the compiler does not tell. */
  readonly line: number | null;
  /** As it is written there: `A[(i + i0) * K + k]`. */
  readonly code: string;
  /** Elements between most neighbouring lanes; null where no distance is that of half of them. */
  readonly lanesApart: number | null;
  /** The argument that has this value, as the source names it: `K`. */
  readonly apartName: string | null;
}

export interface GlobalAccess {
  readonly site: string;
  readonly operand: GlobalOperand;
  readonly op: 'load' | 'store';
  readonly widthBytes: number;
  readonly sectorsPerRequest: number;
  readonly idealSectors: number;
  /** Distinct bytes that the lanes of a request ask for, and bytes of the sectors that hold them. */
  readonly usedBytesPerRequest: number;
  readonly movedBytesPerRequest: number;
  /** Of all warps of the grid, with tiles at the edge counted as whole ones. */
  readonly requests: number;
  /** Elements between neighbouring lanes of a request, where it is the same for all. */
  readonly laneStride: number | null;
  /** Absent where the site is one of the loop IR. */
  readonly source?: SourcePlace;
}

/** Wider loads in place of many. */
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
  /** The fewest in which lanes in another order could ask for the same bytes. */
  readonly idealWavefronts: number;
  /** Wavefronts more than if no two words of a request shared a bank. */
  readonly conflictsPerRequest: number;
  /** Of all warps of the grid, with tiles at the edge counted as whole ones. */
  readonly requests: number;
  /** Least padding, in elements a row, that leaves no conflict; null when no padding does or none is needed. */
  readonly curingPadding: number | null;
  /** What the compiler makes of it, where that joins neighbouring loads of an unrolled loop. */
  readonly joined?: Joined;
  /** Absent where the site is one of the loop IR. */
  readonly source?: SourcePlace;
}

/** Narrower loads that the analysis joins none of. */
export const isAsWritten = ({ widthBytes, joined }: Pick<SharedAccess, 'widthBytes' | 'joined'>) =>
  widthBytes < WIDEST_BYTES && joined === undefined;
