/**
 * Computes the average cost of an access site's requests over all warps, blocks and iterations. A
 * warp is evaluated lane by lane. A uniform index shifts all lanes, so only its remainder modulo a
 * sector (or bank word) matters.
 */
import { countersOf, fixed, scaled, sum, type Affine, type Counter } from '../kernel/ir/affine';
import {
  ALL_LANES,
  evaluate,
  activeLanes,
  visitsOf,
  type Memo,
  type Lanes,
  type Mask,
  type Point,
} from './lanes';
import { periodUnder } from './periods';
import {
  activeLaneValues,
  BANK_BYTES,
  distinctElements,
  minWavefronts,
  phasesOf,
  SECTOR_BYTES,
  sectorsOf,
  wavefrontsOf,
  type CostAt,
  type RequestKind,
} from './requestCost';
import { splitOf, type Shifts } from './shifts';
import type { AccessSite } from './accessSite';
import { WARP_LANES } from '../hardware/warp';

export interface Requests {
  /** Average number of sectors or wavefronts per request. */
  readonly cost: number;
  /**
   * Average ideal cost per request. Shared memory: minimum number of wavefronts over all
   * assignments of the elements to lanes. Global memory: sectors if the distinct bytes were
   * contiguous and aligned.
   */
  readonly ideal: number;
  /** Average number of wavefronts without bank conflicts. In global memory, equal to `ideal`. */
  readonly unhindered: number;
  readonly bytes: number;
  /**
   * Stride between consecutive active lanes in elements. Null if it is not uniform or if fewer than
   * two lanes are active.
   */
  readonly laneStride: number | null;
}

export interface Visited {
  /** Values of the counters that do not only shift the lanes. */
  readonly point: Point;
  /** Element index of each lane without the shift; NaN for inactive lanes. */
  readonly elements: Lanes;
  readonly whole: boolean;
  readonly shifts: Shifts;
  readonly times: number;
}

const UNIT_BYTES = { global: SECTOR_BYTES, shared: BANK_BYTES } as const;

/** An access site with its row length, which may differ from the row length in the kernel. */
export interface RequestedSite {
  readonly access: AccessSite;
  readonly row: number;
  readonly elementBytes: number;
}

/** Returns the element index of an access. */
export const addressOf = ({ access: { base, outer, inner }, row }: RequestedSite): Affine =>
  sum(sum(scaled(outer, row), inner), fixed(base));

/** Returns the number of elements after which the cost of a request repeats. */
export const periodOfUnit = ({ access, elementBytes }: RequestedSite, unitBytes: number): number =>
  Math.max(access.width, unitBytes / elementBytes);

/**
 * Yields the requests of a site, grouped by uniform shifts modulo `unitBytes`. The `elements`
 * buffer and the point are reused, so callers that keep them must copy them.
 */
export function* visitedRequests(
  asked: RequestedSite,
  unitBytes: number,
  known: Memo,
): Generator<Visited> {
  const { masks } = asked.access;
  const period = periodOfUnit(asked, unitBytes);
  const address = addressOf(asked);
  const { own, visiting, visited, shifts } = splitOf(address, masks, period);
  const moving = sum(own, visiting);
  const elements = new Float64Array(WARP_LANES);
  const periodIn = (counter: Counter): number => periodUnder(masks, visiting, counter, period);
  for (const { point, times } of visitsOf(visited, periodIn)) {
    const lanes = activeLanes(masks, point, known);
    if (lanes === 0) continue;
    evaluate(moving, point, known, elements);
    for (let lane = 0; lane < WARP_LANES; lane++) {
      if ((lanes & (1 << lane)) === 0) elements[lane] = NaN;
    }
    yield { point, elements, whole: lanes === ALL_LANES, shifts, times };
  }
}

export const kindOf = ({ access, elementBytes }: RequestedSite): RequestKind => ({
  // A vector access counts as one element of the vector's width.
  bytes: elementBytes * access.width,
  op: access.copied ? 'copy' : access.op,
});

type Priced<T> = (vectors: Lanes, meanOver: (costAt: CostAt) => number, elements: Lanes) => T;

/**
 * Yields the price of each group of requests of a site. Requests that differ only by whole sectors
 * or bank words are priced once.
 */
function* pricedRequests<T>(
  asked: RequestedSite,
  known: Memo,
  price: Priced<T>,
): Generator<{ readonly priced: T; readonly whole: boolean; readonly times: number }> {
  const { width, space } = asked.access;
  const period = periodOfUnit(asked, UNIT_BYTES[space]);
  const before = memoByShape<T>(period);
  for (const { elements, whole, shifts, times } of visitedRequests(
    asked,
    UNIT_BYTES[space],
    known,
  )) {
    const priced = before(elements, () => {
      const vectors = elements.map(element => element / width);
      return price(vectors, costAt => meanOver(shifts, costAt, width), elements);
    });
    yield { priced, whole, times };
  }
}

function meanOver(shifts: Shifts, costAt: CostAt, width: number): number {
  let [sum, all] = [0, 0];
  for (const [shift, weight] of shifts.entries()) {
    if (weight !== 0) sum += weight * costAt(shift / width);
    all += weight;
  }
  return sum / all;
}

/**
 * Returns the averages over the requests of a site, or null if the site has no requests. Requests
 * of partial warps count only if there are no full warps.
 */
export function requestsOf(asked: RequestedSite, known: Memo): Requests | null {
  const kind = kindOf(asked);
  const isGlobal = asked.access.space === 'global';
  const [full, partial] = [new Map<Requests, number>(), new Map<Requests, number>()];
  const requests = pricedRequests(asked, known, (vectors, mean, elements): Requests => {
    const bytes = distinctElements(vectors) * kind.bytes;
    const sectors = Math.ceil(bytes / SECTOR_BYTES);
    return {
      bytes,
      laneStride: strideOf(elements),
      cost: mean((isGlobal ? sectorsOf : wavefrontsOf)(vectors, kind)),
      ideal: isGlobal ? sectors : minWavefronts(vectors, kind),
      unhindered: isGlobal ? sectors : phasesOf(vectors, kind),
    };
  });
  for (const { priced, whole, times } of requests) {
    const counts = whole ? full : partial;
    counts.set(priced, (counts.get(priced) ?? 0) + times);
  }
  return meanOf(full.size > 0 ? full : partial);
}

/**
 * Tests whether a shared-memory site has requests and is free of conflicts. Partial warps count
 * only if there are no full warps. Stops at the first conflict of a full warp, unlike `requestsOf`.
 */
export function isWithoutConflicts(asked: RequestedSite, known: Memo): boolean {
  const kind = kindOf(asked);
  const requests = pricedRequests(
    asked,
    known,
    (vectors, mean) => mean(wavefrontsOf(vectors, kind)) > phasesOf(vectors, kind),
  );
  let [full, some, partial] = [false, false, false];
  for (const { priced: conflicts, whole } of requests) {
    if (whole && conflicts) return false;
    some = true;
    full ||= whole;
    partial ||= conflicts;
  }
  return full || (some && !partial);
}

/**
 * Counts the warp requests of the whole grid, including prologue and drain. An execution counts if
 * at least one lane is active.
 */
export const requestCount = (access: AccessSite, known: Memo): number =>
  [access, ...access.outside].reduce(
    (sum, { visits, masks }) => sum + Math.round(visits * activeShare(masks, known)),
    0,
  );

function activeShare(masks: readonly Mask[], known: Memo): number {
  if (masks.length === 0) return 1;
  const periodIn = (counter: Counter): number => periodUnder(masks, fixed(0), counter, 1);
  let [taken, all] = [0, 0];
  for (const { point, times } of visitsOf(masks.flatMap(countersOf), periodIn)) {
    all += times;
    if (activeLanes(masks, point, known) !== 0) taken += times;
  }
  return taken / all;
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function meanOf(counts: ReadonlyMap<Requests, number>): Requests | null {
  const all = [...counts];
  const first = all[0]?.[0];
  if (first === undefined) return null;
  const count = total(all.map(([, times]) => times));
  const mean = (of: (requests: Requests) => number): number =>
    total(all.map(([requests, times]) => times * of(requests))) / count;
  const stride = first.laneStride;
  return {
    cost: mean(({ cost }) => cost),
    ideal: mean(({ ideal }) => ideal),
    unhindered: mean(({ unhindered }) => unhindered),
    bytes: mean(({ bytes }) => bytes),
    laneStride: all.every(([{ laneStride }]) => laneStride === stride) ? stride : null,
  };
}

function memoByShape<T>(period: number): (elements: Lanes, ask: () => T) => T {
  const known = new Map<number, { readonly elements: Lanes; readonly answer: T }[]>();
  return (elements, ask) => {
    const key = shapeOf(elements, period);
    const sameHash = known.get(key) ?? [];
    const same = sameHash.find(other => sameButMoved(other.elements, elements, period));
    if (same !== undefined) return same.answer;
    const answer = ask();
    known.set(key, [...sameHash, { elements: elements.slice(), answer }]);
    return answer;
  };
}

function firstOf(elements: Lanes): number {
  let lane = 0;
  while (lane < WARP_LANES && Number.isNaN(elements[lane])) lane++;
  return elements[lane] ?? 0;
}

function shapeOf(elements: Lanes, period: number): number {
  const first = firstOf(elements);
  let shape = first % period;
  for (let lane = 0; lane < WARP_LANES; lane++) {
    shape = (Math.imul(shape, 31) + ((elements[lane] ?? NaN) - first)) | 0;
  }
  return shape;
}

function sameButMoved(one: Lanes, other: Lanes, period: number): boolean {
  const by = firstOf(other) - firstOf(one);
  if (by % period !== 0) return false;
  for (let lane = 0; lane < WARP_LANES; lane++) {
    const [before, element] = [one[lane] ?? NaN, other[lane] ?? NaN];
    if (element - before !== by && !(Number.isNaN(element) && Number.isNaN(before))) return false;
  }
  return true;
}

function strideOf(lanes: Lanes): number | null {
  const elements = activeLaneValues(lanes);
  const gap = (elements[1] ?? NaN) - (elements[0] ?? NaN);
  const same = elements.every(
    (element, lane) => lane === 0 || element - (elements[lane - 1] ?? 0) === gap,
  );
  return same && elements.length > 1 ? gap : null;
}
