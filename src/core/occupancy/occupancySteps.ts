/** What another block an SM would take: the least that each limiting resource has to give. */
import { occupancy, type Limiter, type OccupancyInput } from './occupancy';

export interface Need {
  readonly resource: Exclude<Limiter, 'blocks'>;
  /** Threads a block, registers a thread, or bytes a block. */
  readonly have: number;
  /** The most that gives the step, everything else as it is. */
  readonly need: number;
}

export type NextStep =
  | {
      readonly reachable: true;
      readonly blocksPerSm: number;
      /** All of them together. */
      readonly needs: readonly Need[];
    }
  | {
      readonly reachable: false;
      /** Every warp slot is taken, every block slot is, the launch makes no more, or no value of a resource would do. */
      readonly why: 'full' | 'block-slots' | 'launch' | Exclude<Limiter, 'blocks'>;
    };

const FIELD = {
  threads: 'threadsPerBlock',
  registers: 'registersPerThread',
  'shared-memory': 'sharedBytesPerBlock',
} as const satisfies Readonly<Record<Need['resource'], keyof OccupancyInput>>;

/** Threads first: fewer of them leave more registers to each. */
const RESOURCES = ['threads', 'registers', 'shared-memory'] as const;

/** The way to one more block an SM, of as many as are launched; null for input that describes no kernel. */
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

/** Blocks an SM holds as far as one resource goes. */
function limitOf(input: OccupancyInput, resource: Need['resource']): number {
  const result = occupancy(input);
  return result.ok ? (result.occupancy.limits[resource] ?? Infinity) : 0;
}

/** The largest value below `value` that does, where less of a resource never does worse. */
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
