/** One request of a site, lane by lane: the dearest, as it is drawn. Found when asked for, not with each change. */
import type { Kernel } from '../kernel/kernel';
import { WARP_LANES } from '../hardware/warp';
import type { GlobalOperand } from '../spec/resolved';
import { askedSites } from './accesses';
import { nothingKnown, type Lanes } from './lanes';
import { active, LINE_BYTES, passesThroughL1, sectorsOf, wavefrontsOf } from './requestCost';
import { kindOf, visitedRequests, type AskedSite } from './requests';

export interface SiteName {
  readonly site: string;
  readonly op: 'load' | 'store';
}

export interface DrawnRequest extends SiteName {
  readonly space: 'global' | 'shared';
  readonly operand: GlobalOperand;
  readonly widthBytes: number;
  /** Byte by lane, from a multiple of 128 on; null in a lane that takes no part. */
  readonly addresses: readonly (number | null)[];
  /** Sectors or wavefronts of this request. */
  readonly cost: number;
  /** Wavefronts of it in which an asynchronous copy passes through the L1 cache. */
  readonly throughL1: number;
  /** Requests that cost as much, of all of the site: 0..1. */
  readonly share: number;
}

/** Null for a site that the kernel has not, or that no lane comes by. */
export function drawnRequest(kernel: Kernel, { site, op }: SiteName): DrawnRequest | null {
  const asked = askedSites(kernel).find(
    ({ access }) => access.site.name === site && access.op === op,
  );
  const found = asked === undefined ? null : dearest(asked);
  if (asked === undefined || found === null) return null;
  const { access, elementBytes } = asked;
  const { elements, shift, ...cost } = found;
  const bytes = elements.map(element => (element + shift) * elementBytes);
  const from = Math.floor(Math.min(...active(bytes)) / LINE_BYTES) * LINE_BYTES;
  return {
    site,
    op,
    ...cost,
    space: access.space,
    operand: access.site.operand,
    widthBytes: elementBytes * access.width,
    throughL1: access.space === 'shared' ? passesThroughL1(kindOf(asked)) : 0,
    addresses: Array.from(bytes, byte => (Number.isNaN(byte) ? null : byte - from)),
  };
}

interface Found {
  readonly elements: Lanes;
  readonly shift: number;
  readonly cost: number;
  readonly share: number;
}

/** The dearest of the requests whose mean is told: of full ones, and of all where none is full. Of equal ones, that of most lanes. */
function dearest(asked: AskedSite): Found | null {
  const { width, space } = asked.access;
  const kind = kindOf(asked);
  const costs = new Map<string, number>();
  let best: (Omit<Found, 'share'> & { readonly key: string; readonly rank: number }) | null = null;
  let all = 0;
  const known = nothingKnown();
  for (const { elements, whole, shifts, times } of visitedRequests(asked, LINE_BYTES, known)) {
    const lanes = active(elements).length;
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
        best = { elements: elements.slice(), shift, cost, key, rank };
      }
    }
  }
  if (best === null) return null;
  const { elements, shift, cost, key } = best;
  return { elements, shift, cost, share: (costs.get(key) ?? 0) / all };
}
