/**
 * Computes what one more block per SM requires: the minimum reduction of each limiting resource.
 */
import { occupancy, type Limiter, type OccupancyInput } from './occupancy';

export interface Need {
  readonly resource: Exclude<Limiter, 'blocks'>;
  /** Threads per block, registers per thread, or bytes per block. */
  readonly have: number;
  /** Maximum value that allows one more block, others unchanged. */
  readonly need: number;
}

export type NextStep =
  | {
      readonly reachable: true;
      readonly blocksPerSm: number;
      /** All of them are required. */
      readonly needs: readonly Need[];
    }
  | {
      readonly reachable: false;
      /**
       * All warp slots used, all block slots used, limited by the launch, or no value of a resource
       * suffices.
       */
      readonly why: 'full' | 'block-slots' | 'launch' | Exclude<Limiter, 'blocks'>;
    };

const FIELD = {
  threads: 'threadsPerBlock',
  registers: 'registersPerThread',
  'shared-memory': 'sharedBytesPerBlock',
} as const satisfies Readonly<Record<Need['resource'], keyof OccupancyInput>>;

/** Threads first, because fewer threads leave more registers per thread. */
const RESOURCES = ['threads', 'registers', 'shared-memory'] as const;

/**
 * Returns the reductions for one more block per SM, up to the launched number; null for invalid
 * input.
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

/** Returns the blocks per SM that one resource allows. */
function limitOf(input: OccupancyInput, resource: Need['resource']): number {
  const result = occupancy(input);
  return result.ok ? (result.occupancy.limits[resource] ?? Infinity) : 0;
}

/** Returns the largest smaller value for which `does` holds; `does` must be monotonic. */
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
