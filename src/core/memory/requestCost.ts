/** What one request of a warp costs: sectors of global memory, wavefronts of shared memory. */
import { WARP_LANES } from '../hardware/warp';
import type { Lanes } from './lanes';

/** Bytes of a sector: what the memory system moves at least (CUDA C++ Programming Guide, "Device Memory Accesses"). */
export const SECTOR_BYTES = 32;
/** Bytes of a cache line, of four sectors. */
export const LINE_BYTES = 128;
export const BANKS = 32;
export const BANK_BYTES = 4;
/** Bytes that shared memory moves in one wavefront at most: a word of every bank. */
export const BANK_ROW_BYTES = BANKS * BANK_BYTES;

export interface RequestKind {
  /** Bytes a lane moves. */
  readonly bytes: number;
  /** `copy`: the store of an asynchronous copy, cp.async. */
  readonly op: 'load' | 'store' | 'copy';
}

/** Of less, an asynchronous copy passes through the L1 cache (PTX ISA, "cp.async": .ca, and .cg of 16 bytes alone). */
const BYPASSING_COPY_BYTES = 16;

/** Wavefronts in which a copy passes through the L1 cache, beside those that write it: so ncu counts them on 9.0. */
export const passesThroughL1 = ({ bytes, op }: RequestKind): number =>
  op === 'copy' && bytes < BYPASSING_COPY_BYTES ? 1 : 0;

/** The lanes that take part: the others hold no number. */
export const active = (lanes: Lanes): Lanes =>
  lanes.some(Number.isNaN) ? lanes.filter(element => !Number.isNaN(element)) : lanes;

/** Elements of the lanes that take part, of so many from `first` on, in ascending order. */
function ascending(lanes: Lanes, first = 0, count = lanes.length): Lanes {
  const sorted = new Float64Array(count);
  let length = 0;
  for (let lane = first; lane < first + count; lane++) {
    const element = lanes[lane] ?? NaN;
    if (Number.isNaN(element)) continue;
    let at = length++;
    // Nearly always the largest so far.
    for (; at > 0 && (sorted[at - 1] ?? 0) > element; at--) sorted[at] = sorted[at - 1] ?? 0;
    sorted[at] = element;
  }
  return length === count ? sorted : sorted.subarray(0, length);
}

/** Distinct elements that the lanes ask for. */
export const distinctElements = (lanes: Lanes): number => distinct(ascending(lanes));

function distinct(sorted: Lanes): number {
  let count = 0;
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) count++;
  return count;
}

/**
 * A request's cost once all its elements have moved by so many. Elements may be negative: what moves all of them by
 * whole periods is left out of them.
 */
export type CostAt = (shift: number) => number;

/** Distinct 32-byte sectors that the lanes' elements lie in. */
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

/** Lanes of which every other one asks for what its neighbour does: lane i for what lane i ^ 1 asks for, or i ^ 2. */
const inPairs = (lanes: Lanes): boolean => pairedBy(lanes, 1) || pairedBy(lanes, 2);

function pairedBy(lanes: Lanes, distance: number): boolean {
  for (let lane = 0; lane < lanes.length; lane++) {
    const [element, other] = [lanes[lane] ?? NaN, lanes[lane ^ distance] ?? NaN];
    if (element !== other && !Number.isNaN(element) && !Number.isNaN(other)) return false;
  }
  return true;
}

/**
 * Neighbouring lanes that shared memory serves together: a warp up to 4 bytes a lane, half of one with 8, a quarter
 * with 16; twice as many of a load that lanes make in pairs, since what it returns is then half as much (NVIDIA's
 * answer to "Unexpected shared memory bank conflict", forums.developer.nvidia.com/t/77228).
 */
export function lanesTogether(lanes: Lanes, { bytes, op }: RequestKind): number {
  const together = bytes > BANK_BYTES ? BANK_ROW_BYTES / bytes : WARP_LANES;
  return together < WARP_LANES && op === 'load' && inPairs(lanes) ? 2 * together : together;
}

/** Passes of the shared-memory pipe: in each, a bank serves one 4-byte word, to any number of the lanes served together. */
export function wavefrontsOf(lanes: Lanes, kind: RequestKind): CostAt {
  const together = lanesTogether(lanes, kind);
  const phases = Array.from({ length: WARP_LANES / together }, (_, i) =>
    ascending(lanes, i * together, together),
  );
  const extra = passesThroughL1(kind);
  return shift => phases.reduce((passes, sorted) => passes + passesOf(sorted, kind, shift), extra);
}

/** Wavefronts without a bank that two words of a phase share. */
export function phasesOf(lanes: Lanes, kind: RequestKind): number {
  const together = lanesTogether(lanes, kind);
  const phases = Array.from({ length: WARP_LANES / together }, (_, i) =>
    lanes.subarray(i * together, (i + 1) * together).some(element => !Number.isNaN(element)),
  );
  return phases.filter(Boolean).length + passesThroughL1(kind);
}

/** The fewest wavefronts in which lanes in another order could ask for the same. */
export function leastWavefronts(lanes: Lanes, kind: RequestKind): number {
  const { bytes, op } = kind;
  const extra = passesThroughL1(kind);
  const sorted = ascending(lanes);
  const rows = Math.ceil((distinct(sorted) * bytes) / BANK_ROW_BYTES);
  if (bytes <= BANK_BYTES) return rows + extra;
  const pairs = pairsOf(sorted);
  const served = op === 'load' && pairs <= WARP_LANES / 2 ? pairs : sorted.length;
  return Math.max(rows, Math.ceil((served * bytes) / BANK_ROW_BYTES)) + extra;
}

/** Pairs of lanes that could ask for the same; one that is left over has no partner, or one that takes no part. */
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

/** Words that each bank has served: of the request that is looked at. */
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
