/**
 * What the requests of an access site cost, on average over all warps, blocks and iterations. A warp is evaluated lane by
 * lane; an index that all lanes share moves a request as a whole, so of it only the remainder by a sector (or by a bank's
 * word) counts.
 */
import { countersOf, fixed, scaled, sum, WARP_LANES, type Counter } from '../ir/affine';
import { evaluate, taking, visitsOf, type Known, type Lanes, type Mask } from './lanes';
import { periodUnder } from './periods';
import {
  active,
  BANK_BYTES,
  distinctElements,
  leastWavefronts,
  phasesOf,
  SECTOR_BYTES,
  sectorsOf,
  wavefrontsOf,
  type RequestKind,
} from './requestCost';
import { splitOf, type Shifts } from './shifts';
import type { AccessSite } from './accessSite';

export interface Requests {
  /** Sectors or wavefronts, on average. */
  readonly cost: number;
  /** The fewest that lanes in another order could do with. */
  readonly ideal: number;
  /** Wavefronts if no two words shared a bank; sectors if each began at one. */
  readonly unhindered: number;
  /** Distinct bytes that a request asks for. */
  readonly bytes: number;
  /** Elements between neighbouring lanes, where it is the same for all. */
  readonly laneStride: number | null;
}

/** Vectors that the lanes of some requests ask for, but for what moves all lanes alike. */
export interface Visited {
  /** Element a lane, NaN where it takes no part. */
  readonly elements: Lanes;
  readonly shifts: Shifts;
  readonly times: number;
}

const UNIT_BYTES = { global: SECTOR_BYTES, shared: BANK_BYTES } as const;

/** A site with rows of its own length, or of another. */
export interface AskedSite {
  readonly access: AccessSite;
  readonly row: number;
  readonly elementBytes: number;
}

/** Requests that differ by more than a move of all lanes by a whole `unitBytes`. */
export function* visitedRequests(
  { access, row, elementBytes }: AskedSite,
  unitBytes: number,
  known: Known,
): Generator<Visited> {
  const { base, outer, inner, masks, width } = access;
  const period = Math.max(width, unitBytes / elementBytes);
  const address = sum(sum(scaled(outer, row), inner), fixed(base));
  const { own, visiting, visited, shifts } = splitOf(address, masks, period);
  const ownElements = evaluate(own, new Map(), known);
  const periodIn = (counter: Counter): number => periodUnder(masks, visiting, counter, period);
  for (const { point, times } of visitsOf(visited, periodIn)) {
    const here =
      visiting.terms.length === 0
        ? ownElements
        : plus(ownElements, evaluate(visiting, point, known));
    yield { elements: taking(here, masks, point, known), shifts, times };
  }
}

const plus = (one: Lanes, other: Lanes): Lanes =>
  one.map((element, lane) => element + (other[lane] ?? 0));

export const kindOf = ({ access, elementBytes }: AskedSite): RequestKind => ({
  // A vector counts as one element of its own size.
  bytes: elementBytes * access.width,
  op: access.copied ? 'copy' : access.op,
});

/** Requests of a site, or null where it has none. Partial ones count only where none is full. */
export function requestsOf(asked: AskedSite, known: Known): Requests | null {
  const { access, elementBytes } = asked;
  const kind = kindOf(asked);
  const { width, space } = access;
  const period = Math.max(width, UNIT_BYTES[space] / elementBytes);
  const one = (elements: Lanes, shifts: Shifts): Requests => {
    const vectors = elements.map(element => element / width);
    const costAt = space === 'global' ? sectorsOf(vectors, kind) : wavefrontsOf(vectors, kind);
    const cost = shifts.reduce(
      (sum, weight, shift) => (weight === 0 ? sum : sum + weight * costAt(shift / width)),
      0,
    );
    const bytes = distinctElements(vectors) * kind.bytes;
    const sectors = Math.ceil(bytes / SECTOR_BYTES);
    return {
      ...{ cost: cost / total(shifts), bytes, laneStride: strideOf(elements) },
      ideal: space === 'global' ? sectors : leastWavefronts(vectors, kind),
      unhindered: space === 'global' ? sectors : phasesOf(vectors, kind),
    };
  };
  const requests = remembering(one, period);
  const [full, partial] = [new Map<Requests, number>(), new Map<Requests, number>()];
  for (const { elements, shifts, times } of visitedRequests(asked, UNIT_BYTES[space], known)) {
    const lanes = access.masks.length === 0 ? WARP_LANES : active(elements).length;
    if (lanes === 0) continue;
    const counts = lanes === WARP_LANES ? full : partial;
    const found = requests(elements, shifts);
    counts.set(found, (counts.get(found) ?? 0) + times);
  }
  return meanOf(full.size > 0 ? full : partial);
}

/** Requests of all warps of the grid: visits in which a lane takes part, before, in and after the main loop. */
export const requestCount = (access: AccessSite, known: Known): number =>
  [access, ...access.outside].reduce(
    (sum, { visits, masks }) => sum + Math.round(visits * shareTaking(masks, known)),
    0,
  );

function shareTaking(masks: readonly Mask[], known: Known): number {
  if (masks.length === 0) return 1;
  const periodIn = (counter: Counter): number => periodUnder(masks, fixed(0), counter, 1);
  const lanes = new Float64Array(WARP_LANES);
  let [taken, all] = [0, 0];
  for (const { point, times } of visitsOf(masks.flatMap(countersOf), periodIn)) {
    all += times;
    if (active(taking(lanes, masks, point, known)).length > 0) taken += times;
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

/** Asks once of requests that are each other, moved by whole sectors or words. */
function remembering(
  ask: (elements: Lanes, shifts: Shifts) => Requests,
  period: number,
): typeof ask {
  const known = new Map<number, { readonly elements: Lanes; readonly requests: Requests }[]>();
  return (elements, shifts) => {
    const key = shapeOf(elements, period);
    const alike = known.get(key) ?? [];
    const same = alike.find(other => sameButMoved(other.elements, elements, period));
    if (same !== undefined) return same.requests;
    const requests = ask(elements, shifts);
    known.set(key, [...alike, { elements, requests }]);
    return requests;
  };
}

const firstOf = (elements: Lanes): number => elements.find(element => !Number.isNaN(element)) ?? 0;

/** The same number for requests that are each other but for whole periods; seldom for others. */
function shapeOf(elements: Lanes, period: number): number {
  const first = firstOf(elements);
  let shape = first % period;
  for (const element of elements) shape = (Math.imul(shape, 31) + (element - first)) | 0;
  return shape;
}

/** Whether one request is the other, moved by whole sectors or words. */
function sameButMoved(one: Lanes, other: Lanes, period: number): boolean {
  const by = firstOf(other) - firstOf(one);
  return (
    by % period === 0 &&
    other.every((element, lane) => {
      const before = one[lane] ?? NaN;
      return element - before === by || (Number.isNaN(element) && Number.isNaN(before));
    })
  );
}

function strideOf(lanes: Lanes): number | null {
  const elements = active(lanes);
  const gap = (elements[1] ?? NaN) - (elements[0] ?? NaN);
  const same = elements.every(
    (element, lane) => lane === 0 || element - (elements[lane - 1] ?? 0) === gap,
  );
  return same && elements.length > 1 ? gap : null;
}
