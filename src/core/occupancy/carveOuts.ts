/** How the memory of an SM may be divided between shared memory and L1, and what a kernel makes of each division. */
import { isComputeCapability, limitsOf } from '../hardware/computeCapability';
import { occupancy, type OccupancyInput } from './occupancy';

export interface CarveOut {
  readonly sharedKiB: number;
  /** What is left to the L1 cache. */
  readonly l1KiB: number;
  readonly blocksPerSm: number;
}

const KIB = 1024;

/**
 * Each division that holds a block of the kernel, ascending in shared memory; none for a block that fits no SM. The driver
 * takes the last one that it needs unless the kernel prefers another; between those that hold as many blocks the first
 * leaves most to L1.
 */
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

/** What the driver is taken to choose where the kernel prefers nothing: the first that holds as many blocks as any. */
export function chosenCarveOut(all: readonly CarveOut[]): CarveOut | null {
  const most = Math.max(0, ...all.map(({ blocksPerSm }) => blocksPerSm));
  return all.find(({ blocksPerSm }) => blocksPerSm === most) ?? null;
}
