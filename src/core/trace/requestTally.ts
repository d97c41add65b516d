/** Groups the accesses of a step into warp requests and computes their cost from the addresses. */
import { WARP_LANES } from '../hardware/warp';
import { sectorsOf, wavefrontsOf } from '../memory/requestCost';
import type { Access } from '../simulate/memory';
import type { StepAccesses } from './blockTrace';

/** Returns the bytes per element of the accessed memory. */
export type RequestBytes = (access: Access) => number;

export interface Tally {
  readonly add: (access: Access, execution: number) => void;
  readonly total: () => Pick<StepAccesses, 'requests' | 'cost'>;
}

export function createTally(
  { space, op }: Pick<StepAccesses, 'space' | 'op'>,
  elementBytes: number,
): Tally {
  /** Element index of each lane, by warp and execution of the statement. */
  const requests = new Map<string, Float64Array>();
  /** First elements that a thread accessed in its current execution of the statement. */
  const firsts = new Map<number, { readonly execution: number; readonly indices: number[] }>();
  let width = 1;

  return {
    add: ({ thread, index, lane }, execution) => {
      width = Math.max(width, lane + 1);
      if (lane > 0) return;
      const known = firsts.get(thread.index);
      const first = known?.execution === execution ? known : { execution, indices: [] };
      firsts.set(thread.index, first);
      // All lanes of a vector operation read a broadcast value with one request.
      if (first.indices.includes(index)) return;
      first.indices.push(index);
      const warp = Math.floor(thread.index / WARP_LANES);
      const key = `${warp} ${execution} ${first.indices.length}`;
      const lanes = requests.get(key) ?? new Float64Array(WARP_LANES).fill(NaN);
      lanes[thread.index % WARP_LANES] = index;
      requests.set(key, lanes);
    },
    total: () => {
      const kind = { bytes: elementBytes * width, op };
      const costAt = space === 'global' ? sectorsOf : wavefrontsOf;
      let cost = 0;
      for (const lanes of requests.values())
        cost += costAt(
          lanes.map(index => index / width),
          kind,
        )(0);
      return { requests: requests.size, cost };
    },
  };
}
