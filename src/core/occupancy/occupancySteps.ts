/** Computes the minimum reduction of each limiting resource that allows one more block per SM. */
import { occupancy, type Limiter, type OccupancyInput } from './occupancy';

export interface Need {
  readonly resource: Exclude<Limiter, 'blocks'>;
  /**
   * Current value: threads per block, registers per thread, or bytes of shared memory per block.
   */
  readonly have: number;
  /** Maximum value that allows one more block per SM. */
  readonly need: number;
}

export type NextStep =
  | {
      readonly reachable: true;
      readonly blocksPerSm: number;
      readonly needs: readonly Need[];
    }
  | {
      readonly reachable: false;
      /**
       * Reason: all warp slots are used, all block slots are used, the launch has no more blocks,
       * or no value of a resource suffices.
       */
      readonly why: 'full' | 'block-slots' | 'launch' | Exclude<Limiter, 'blocks'>;
    };

const FIELD = {
  threads: 'threadsPerBlock',
  registers: 'registersPerThread',
  'shared-memory': 'sharedBytesPerBlock',
} as const satisfies Readonly<Record<Need['resource'], keyof OccupancyInput>>;

/**
 * Resources in the order of reduction. Threads come first, because fewer threads leave more
 * registers per thread.
 */
const RESOURCES = ['threads', 'registers', 'shared-memory'] as const;

/**
 * Returns the reductions that allow one more block per SM, up to `launchedPerSm` blocks, or the
 * reason why no reduction allows it. Returns null for invalid input.
 */
export function nextStep(input: OccupancyInput, launchedPerSm = Infinity): NextStep | null {
  const now = occupancy(input);
  if (!now.ok) return null;
  const { blocksPerSm, activeWarps, maxWarps, limiters } = now.occupancy;
  if (activeWarps === maxWarps) return { reachable: false, why: 'full' };
  if (limiters.includes('blocks')) return { reachable: false, why: 'block-slots' };
  const wanted = blocksPerSm + 1;
  if (wanted > launchedPerSm) return { reachable: false, why: 'launch' };
  const needs: Need[] = [];
  let changed = input;
  for (const resource of RESOURCES) {
    if (limitOf(changed, resource) >= wanted) continue;
    const field = FIELD[resource];
    const at = changed;
    const need = largestBelow(
      at[field],
      value => limitOf({ ...at, [field]: value }, resource) >= wanted,
    );
    if (need === null) return { reachable: false, why: resource };
    needs.push({ resource, have: input[field], need });
    changed = { ...at, [field]: need };
  }
  return { reachable: true, blocksPerSm: wanted, needs };
}

/**
 * Returns the number of blocks per SM that one resource allows: Infinity if the block does not use
 * the resource, 0 for invalid input.
 */
function limitOf(input: OccupancyInput, resource: Need['resource']): number {
  const result = occupancy(input);
  return result.ok ? (result.occupancy.limits[resource] ?? Infinity) : 0;
}

/**
 * Returns the largest positive value below `value` that passes the monotonic test `does`, or null
 * if there is none.
 */
function largestBelow(value: number, does: (value: number) => boolean): number | null {
  let [low, high] = [1, value];
  if (high <= low || !does(low)) return null;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (does(middle)) low = middle;
    else high = middle;
  }
  return low;
}
