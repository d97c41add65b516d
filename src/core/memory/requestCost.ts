/** Computes the cost of one warp request: sectors in global memory, wavefronts in shared memory. */
import { WARP_LANES } from '../hardware/warp';
import type { Lanes } from './lanes';

/**
 * Bytes per sector, the minimum transfer of the memory system (CUDA C++ Programming Guide, "Device
 * Memory Accesses").
 */
export const SECTOR_BYTES = 32;
export const LINE_BYTES = 128;
export const BANKS = 32;
export const BANK_BYTES = 4;
/** Maximum number of bytes per shared-memory wavefront: one 4-byte word per bank. */
export const BANK_ROW_BYTES = BANKS * BANK_BYTES;

export interface RequestKind {
  /** Bytes per lane. */
  readonly bytes: number;
  /** Operation. `copy` is the shared-memory store of an asynchronous copy (cp.async). */
  readonly op: 'load' | 'store' | 'copy';
}

/**
 * Minimum number of bytes per lane for an asynchronous copy to bypass the L1 cache. cp.async.cg
 * requires 16 bytes; narrower copies use .ca (PTX ISA, "cp.async").
 */
const BYPASSING_COPY_BYTES = 16;

/**
 * Returns the number of extra wavefronts of an asynchronous copy that passes through the L1 cache,
 * as counted by Nsight Compute (compute capability 9.0). Returns 0 for other requests.
 */
export const passesThroughL1 = ({ bytes, op }: RequestKind): number =>
  op === 'copy' && bytes < BYPASSING_COPY_BYTES ? 1 : 0;

export const activeLaneValues = (lanes: Lanes): Lanes =>
  lanes.some(Number.isNaN) ? lanes.filter(element => !Number.isNaN(element)) : lanes;

function ascending(lanes: Lanes, first = 0, count = lanes.length): Lanes {
  const sorted = new Float64Array(count);
  let length = 0;
  for (let lane = first; lane < first + count; lane++) {
    const element = lanes[lane] ?? NaN;
    if (Number.isNaN(element)) continue;
    let at = length++;
    // Insertion sort is fast here, because the elements are usually almost sorted.
    for (; at > 0 && (sorted[at - 1] ?? 0) > element; at--) sorted[at] = sorted[at - 1] ?? 0;
    sorted[at] = element;
  }
  return length === count ? sorted : sorted.subarray(0, length);
}

export const distinctElements = (lanes: Lanes): number => distinct(ascending(lanes));

function distinct(sorted: Lanes): number {
  let count = 0;
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) count++;
  return count;
}

/**
 * Cost as a function of an element offset. Element indices may be negative, because terms that are
 * multiples of the period are omitted.
 */
export type CostAt = (shift: number) => number;

export function sectorsOf(lanes: Lanes, { bytes }: RequestKind): CostAt {
  const sorted = ascending(lanes);
  return shift => {
    let count = 0;
    let last = NaN;
    for (const element of sorted) {
      const sector = Math.floor(((element + shift) * bytes) / SECTOR_BYTES);
      if (sector !== last) count++;
      last = sector;
    }
    return count;
  };
}

/**
 * Tests whether all active lanes i and i ^ 1, or all active lanes i and i ^ 2, access the same
 * element.
 */
const inPairs = (lanes: Lanes): boolean => arePairedBy(lanes, 1) || arePairedBy(lanes, 2);

function arePairedBy(lanes: Lanes, distance: number): boolean {
  for (let lane = 0; lane < lanes.length; lane++) {
    const [element, other] = [lanes[lane] ?? NaN, lanes[lane ^ distance] ?? NaN];
    if (element !== other && !Number.isNaN(element) && !Number.isNaN(other)) return false;
  }
  return true;
}

/**
 * Returns the number of consecutive lanes that shared memory serves together: 32 lanes for up to 4
 * bytes per lane, 16 for 8, 8 for 16. For loads with paired lanes, the number doubles, because two
 * lanes share the returned data (NVIDIA's reply to "Unexpected shared memory bank conflict",
 * forums.developer.nvidia.com/t/77228).
 */
export function lanesPerWavefront(lanes: Lanes, { bytes, op }: RequestKind): number {
  const together = bytes > BANK_BYTES ? BANK_ROW_BYTES / bytes : WARP_LANES;
  return together < WARP_LANES && op === 'load' && inPairs(lanes) ? 2 * together : together;
}

/**
 * Returns a function that counts shared-memory wavefronts. In each wavefront, a bank serves one
 * 4-byte word to any number of lanes.
 */
export function wavefrontsOf(lanes: Lanes, kind: RequestKind): CostAt {
  const together = lanesPerWavefront(lanes, kind);
  const phases = Array.from({ length: WARP_LANES / together }, (_, i) =>
    ascending(lanes, i * together, together),
  );
  const extra = passesThroughL1(kind);
  return shift => phases.reduce((passes, sorted) => passes + passesOf(sorted, kind, shift), extra);
}

/** Counts the wavefronts that the request would require without bank conflicts. */
export function phasesOf(lanes: Lanes, kind: RequestKind): number {
  const together = lanesPerWavefront(lanes, kind);
  const phases = Array.from({ length: WARP_LANES / together }, (_, i) =>
    lanes.subarray(i * together, (i + 1) * together).some(element => !Number.isNaN(element)),
  );
  return phases.filter(Boolean).length + passesThroughL1(kind);
}

/**
 * Returns the minimum number of wavefronts for the same elements, over all assignments of the
 * elements to lanes.
 */
export function minWavefronts(lanes: Lanes, kind: RequestKind): number {
  const { bytes, op } = kind;
  const extra = passesThroughL1(kind);
  const sorted = ascending(lanes);
  const rows = Math.ceil((distinct(sorted) * bytes) / BANK_ROW_BYTES);
  if (bytes <= BANK_BYTES) return rows + extra;
  const pairs = pairsOf(sorted);
  const served = op === 'load' && pairs <= WARP_LANES / 2 ? pairs : sorted.length;
  return Math.max(rows, Math.ceil((served * bytes) / BANK_ROW_BYTES)) + extra;
}

/**
 * Returns the minimum number of lane pairs in which both lanes access the same element. A lane
 * without a partner counts as a pair.
 */
function pairsOf(sorted: Lanes): number {
  let [pairs, alone] = [0, NaN];
  for (const element of sorted) {
    if (element === alone) {
      alone = NaN;
    } else {
      alone = element;
      pairs++;
    }
  }
  return pairs;
}

const served = new Uint8Array(BANKS);

function passesOf(sorted: Lanes, { bytes }: RequestKind, shift: number): number {
  served.fill(0);
  const words = Math.max(1, bytes / BANK_BYTES);
  let most = 0;
  let next = -Infinity;
  for (const element of sorted) {
    const first = Math.floor(((element + shift) * bytes) / BANK_BYTES);
    for (let word = Math.max(first, next); word < first + words; word++) {
      const bank = word & (BANKS - 1);
      const passes = (served[bank] ?? 0) + 1;
      served[bank] = passes;
      if (passes > most) most = passes;
      next = word + 1;
    }
  }
  return most;
}
