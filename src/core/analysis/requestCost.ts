/** What one request of a warp costs: sectors of global memory, wavefronts of shared memory. */
import { WARP_LANES } from '../ir/affine';
import type { Lanes } from './lanes';

/** Bytes of a sector: what the memory system moves at least (CUDA C++ Programming Guide, "Device Memory Accesses"). */
export const SECTOR_BYTES = 32;
export const BANKS = 32;
export const BANK_BYTES = 4;

/** Elements in ascending order. */
function ascending(elements: Lanes): Lanes {
  for (let i = 1; i < elements.length; i++) {
    if ((elements[i] ?? 0) < (elements[i - 1] ?? 0)) return elements.slice().sort();
  }
  return elements;
}

/** Distinct elements that the lanes ask for. */
export function distinctElements(elements: Lanes): number {
  const sorted = ascending(elements);
  return sorted.filter((element, i) => i === 0 || element !== sorted[i - 1]).length;
}

/**
 * A request's cost once all its elements have moved by so many. Elements may be negative: what moves all of them by
 * whole periods is left out of them.
 */
type CostAt = (shift: number) => number;

/** Distinct 32-byte sectors that the lanes' elements lie in. */
export function sectorsOf(elements: Lanes, bytes: number): CostAt {
  const sorted = ascending(elements);
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
 * Passes of the shared-memory pipe: in each, a bank serves one 4-byte word, to any number of lanes. Wider
 * accesses are served half a warp (8 bytes) or a quarter (16 bytes) at a time.
 */
export function wavefrontsOf(elements: Lanes, bytes: number): CostAt {
  const group = bytes > BANK_BYTES ? (WARP_LANES * BANK_BYTES) / bytes : WARP_LANES;
  const groups = Array.from({ length: Math.ceil(elements.length / group) }, (_, i) =>
    ascending(elements.subarray(i * group, (i + 1) * group)),
  );
  return shift => groups.reduce((passes, sorted) => passes + passesOf(sorted, bytes, shift), 0);
}

function passesOf(sorted: Lanes, bytes: number, shift: number): number {
  const served = new Uint8Array(BANKS);
  const words = Math.max(1, bytes / BANK_BYTES);
  let most = 0;
  let next = -Infinity;
  for (const element of sorted) {
    const first = Math.floor(((element + shift) * bytes) / BANK_BYTES);
    for (let word = Math.max(first, next); word < first + words; word++) {
      const bank = word & (BANKS - 1);
      const passes = (served[bank] ?? 0) + 1;
      served[bank] = passes;
      most = Math.max(most, passes);
      next = word + 1;
    }
  }
  return most;
}
