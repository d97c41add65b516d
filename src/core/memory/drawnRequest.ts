/**
 * Finds the worst-case request of an access site, with the address of each lane, for the request
 * diagram.
 */
import type { Kernel } from '../kernel/kernel';
import { WARP_LANES } from '../hardware/warp';
import type { GlobalOperand } from '../spec/resolved';
import type { SiteName } from './access';
import { requestedSite } from './accesses';
import { createMemo, type Lanes, type Point } from './lanes';
import {
  activeLaneValues,
  LINE_BYTES,
  passesThroughL1,
  sectorsOf,
  wavefrontsOf,
} from './requestCost';
import { kindOf, visitedRequests, type RequestedSite } from './requests';

export interface DrawnRequest extends SiteName {
  readonly space: 'global' | 'shared';
  readonly operand: GlobalOperand;
  readonly widthBytes: number;
  /** Byte address of each lane, relative to a multiple of 128; null for inactive lanes. */
  readonly addresses: readonly (number | null)[];
  /** Number of sectors (global memory) or wavefronts (shared memory) of this request. */
  readonly cost: number;
  /** Extra wavefronts of an asynchronous copy that passes through the L1 cache. */
  readonly throughL1: number;
  /**
   * Fraction of the site's requests with the same cost, 0..1. Requests of full warps and of partial
   * warps are counted separately.
   */
  readonly share: number;
}

/** Returns the worst-case request, or null if the kernel has no such site or never executes it. */
export function drawnRequest(kernel: Kernel, { site, op }: SiteName): DrawnRequest | null {
  const asked = requestedSite(kernel, { site, op });
  const found = asked === undefined ? null : worstRequest(asked);
  return asked === undefined || found === null ? null : drawnFrom(asked, found);
}

export function drawnFrom(asked: RequestedSite, found: WorstRequest): DrawnRequest {
  const { access, elementBytes } = asked;
  const { elements, shift, cost, share } = found;
  const bytes = elements.map(element => (element + shift) * elementBytes);
  const from = Math.floor(Math.min(...activeLaneValues(bytes)) / LINE_BYTES) * LINE_BYTES;
  return {
    site: access.site.name,
    op: access.op,
    cost,
    share,
    space: access.space,
    operand: access.site.operand,
    widthBytes: elementBytes * access.width,
    throughL1: access.space === 'shared' ? passesThroughL1(kindOf(asked)) : 0,
    addresses: Array.from(bytes, byte => (Number.isNaN(byte) ? null : byte - from)),
  };
}

export interface WorstRequest {
  /** Counter values of the request, without the counters that only shift the lanes. */
  readonly point: Point;
  readonly elements: Lanes;
  readonly shift: number;
  readonly cost: number;
  readonly share: number;
}

/**
 * Returns the worst-case request, or null if the site has no requests. Requests of full warps take
 * precedence over partial requests. Among requests of equal cost, a request with more active lanes
 * takes precedence.
 */
export function worstRequest(asked: RequestedSite): WorstRequest | null {
  const { width, space } = asked.access;
  const kind = kindOf(asked);
  const costs = new Map<string, number>();
  let best: (Omit<WorstRequest, 'share'> & { readonly key: string; readonly rank: number }) | null =
    null;
  let all = 0;
  const known = createMemo();
  for (const { point, elements, whole, shifts, times } of visitedRequests(
    asked,
    LINE_BYTES,
    known,
  )) {
    const lanes = activeLaneValues(elements).length;
    const vectors = elements.map(element => element / width);
    const costAt = (space === 'global' ? sectorsOf : wavefrontsOf)(vectors, kind);
    for (const [shift, weight] of shifts.entries()) {
      if (weight === 0) continue;
      const cost = costAt(shift / width);
      const key = `${whole} ${cost}`;
      const rank = (whole ? 1e6 : 0) + cost * WARP_LANES + lanes;
      costs.set(key, (costs.get(key) ?? 0) + weight * times);
      all += weight * times;
      if (best === null || rank > best.rank) {
        best = { point: new Map(point), elements: elements.slice(), shift, cost, key, rank };
      }
    }
  }
  if (best === null) return null;
  const { point, elements, shift, cost, key } = best;
  return { point, elements, shift, cost, share: (costs.get(key) ?? 0) / all };
}
