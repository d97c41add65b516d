/**
 * Computes the number of resident blocks of a kernel for each carve-out, the division of an SM's
 * memory into shared memory and L1.
 */
import { isComputeCapability, limitsOf } from '../hardware/computeCapability';
import { occupancy, type OccupancyInput } from './occupancy';

export interface CarveOut {
  readonly sharedKiB: number;
  readonly l1KiB: number;
  readonly blocksPerSm: number;
}

const KIB = 1024;

/** Returns each carve-out that fits at least one block, in ascending order of shared memory. */
export function carveOutsOf(input: OccupancyInput): readonly CarveOut[] {
  const { computeCapability } = input;
  if (!isComputeCapability(computeCapability)) return [];
  const sm = limitsOf(computeCapability);
  const result = occupancy(input);
  if (!result.ok) return [];
  const { limits, sharedBytesAllocated } = result.occupancy;
  const others = Math.min(
    ...Object.entries(limits).map(([limiter, blocks]) =>
      limiter === 'shared-memory' ? Infinity : blocks,
    ),
  );
  return sm.carveOutsKiB
    .map(sharedKiB => ({
      sharedKiB,
      l1KiB: sm.unifiedBytesPerSm / KIB - sharedKiB,
      blocksPerSm: Math.min(
        others,
        sharedBytesAllocated === 0
          ? Infinity
          : Math.floor((sharedKiB * KIB) / sharedBytesAllocated),
      ),
    }))
    .filter(({ blocksPerSm }) => blocksPerSm > 0);
}

/**
 * Returns the assumed driver default: the first carve-out with the maximum number of blocks, which
 * leaves the most L1. Returns null for an empty list.
 */
export function chosenCarveOut(all: readonly CarveOut[]): CarveOut | null {
  const most = Math.max(0, ...all.map(({ blocksPerSm }) => blocksPerSm));
  return all.find(({ blocksPerSm }) => blocksPerSm === most) ?? null;
}
