/**
 * Draws random kernels for the comparison with `cuda_occupancy.h`, and formats our results like the
 * output of reference.cpp.
 */
import { LIMITERS, occupancy } from '../../src/core/occupancy/occupancy';
import { computeCapabilityNames, limitsOf } from '../../src/core/hardware/computeCapability';
import type { OccupancyCase } from './reference';

/**
 * Returns a generator of integers in [0, n) whose sequence depends only on the seed (mulberry32).
 */
function randomIntegers(seed: number): (n: number) => number {
  let state = seed;
  return n => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

const MOST_STATIC_BYTES = 48 * 1024;

/** Draws cases over the whole input range, concentrated around allocation units and limits. */
export function drawCases(count: number, seed: number): OccupancyCase[] {
  const below = randomIntegers(seed);
  const pick = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  const nearMultiple = (unit: number, most: number): number =>
    Math.max(0, unit * below(most + 1) + below(3) - 1);
  return Array.from({ length: count }, () => {
    const computeCapability = pick(computeCapabilityNames);
    const { sharedBytesPerBlockOptIn: most } = limitsOf(computeCapability);
    const threads = pick([
      1 + below(1100),
      32 * (1 + below(33)),
      nearMultiple(32, 33),
      1 + below(256),
      32 * (1 + below(8)),
    ]);
    const sharedBytesPerBlock = pick([
      0,
      below(most + 4096),
      below(16384),
      below(4096),
      nearMultiple(128, most / 128 + 8),
      nearMultiple(1024, most / 1024 + 2),
    ]);
    const declared = Math.min(sharedBytesPerBlock, MOST_STATIC_BYTES);
    const carveOutPercent = pick([null, below(101), pick([0, 50, 100])]);
    return {
      computeCapability,
      threadsPerBlock: Math.max(1, threads),
      sharedBytesPerBlock,
      registersPerThread: pick([below(260), nearMultiple(8, 33), below(72)]),
      ...(carveOutPercent === null ? {} : { carveOutPercent }),
      staticBytes: pick([0, declared, below(declared + 1)]),
    };
  });
}

/**
 * Returns blocks per SM, limiters (1 threads, 2 registers, 4 shared memory, 8 blocks), allocated
 * registers and allocated bytes.
 */
export function oursOf(given: OccupancyCase): readonly number[] {
  const result = occupancy(given);
  if (!result.ok) throw new Error(result.error.message);
  const { blocksPerSm, limiters, registersPerBlockAllocated, sharedBytesAllocated } =
    result.occupancy;
  const mask = limiters.reduce((sum, limiter) => sum + 2 ** LIMITERS.indexOf(limiter), 0);
  return [blocksPerSm, mask, registersPerBlockAllocated, sharedBytesAllocated];
}
