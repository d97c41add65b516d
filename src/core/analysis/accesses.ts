/**
 * What a full warp asks of global and of shared memory at every access site, away from the edges of the matrix:
 * the mean over all warps, blocks and iterations. A warp is evaluated lane by lane; an index that all lanes share
 * moves a request as a whole, so of it only the remainder by a sector (or by a bank's word) counts.
 */
import { launchesOf, type Kernel, type KernelLaunch } from '../emit/kernel';
import { fixed, scaled, sum, WARP_LANES, type Affine, type Counter } from '../ir/affine';
import { DTYPE_BYTES } from '../spec/dtype';
import type { GlobalAccess, SharedAccess } from './analysis';
import { evaluate, taking, visitsOf, type Known, type Lanes, type Point } from './lanes';
import { periodUnder } from './periods';
import {
  BANK_BYTES,
  BANKS,
  distinctElements,
  SECTOR_BYTES,
  sectorsOf,
  wavefrontsOf,
} from './requestCost';
import { splitOf } from './shifts';
import { accessSites, type AccessSite } from './sites';

export interface WarpAccesses {
  readonly global: readonly GlobalAccess[];
  readonly shared: readonly SharedAccess[];
}

/** Sectors and wavefronts a request, by access site. */
export function warpAccesses(kernel: Kernel): WarpAccesses {
  const known: Known = new Map();
  const global: GlobalAccess[] = [];
  const shared: SharedAccess[] = [];
  for (const access of allSites(kernel)) {
    const { site, op } = access;
    const bytes = DTYPE_BYTES[kernel.plan.dtypes[site.operand]];
    const widthBytes = bytes * access.width;
    const common = { site: site.name, operand: site.operand, op, widthBytes };
    const requests = requestsOf(access, access.row, bytes, known);
    if (requests === null) continue;
    const { cost, ideal, laneStride } = requests;
    if (access.space === 'global') {
      global.push({ ...common, sectorsPerRequest: cost, idealSectors: ideal, laneStride });
      continue;
    }
    const curingPadding = cost > ideal ? cure(access, kernel, ideal, known) : null;
    shared.push({ ...common, wavefrontsPerRequest: cost, idealWavefronts: ideal, curingPadding });
  }
  return { global, shared };
}

/** Of every launch that computes C, in order. */
const allSites = (kernel: Kernel): readonly AccessSite[] =>
  launchesOf<KernelLaunch>(kernel).flatMap(launch =>
    accessSites({ ...launch, problem: kernel.problem }),
  );

interface Requests {
  /** Sectors or wavefronts, on average. */
  readonly cost: number;
  readonly ideal: number;
  /** Elements between neighbouring lanes, where it is the same for all. */
  readonly laneStride: number | null;
}

const COSTS = {
  global: { costOf: sectorsOf, unitBytes: SECTOR_BYTES, idealBytes: SECTOR_BYTES },
  shared: { costOf: wavefrontsOf, unitBytes: BANK_BYTES, idealBytes: BANKS * BANK_BYTES },
} as const;

/** Requests of a site if its rows were `row` elements long, or null where it has none. Partial ones count only where none is full. */
function requestsOf(
  { space, base, outer, inner, masks, width }: AccessSite,
  row: number,
  elementBytes: number,
  known: Known,
): Requests | null {
  const { costOf, unitBytes, idealBytes } = COSTS[space];
  // A vector counts as one element of its own size.
  const bytes = elementBytes * width;
  const period = Math.max(width, unitBytes / elementBytes);
  const address = sum(sum(scaled(outer, row), inner), fixed(base));
  const { own, visiting, visited, shifts } = splitOf(address, masks, period);
  const one = (elements: Lanes): Requests => {
    const vectors = elements.map(element => element / width);
    const costAt = costOf(vectors, bytes);
    const cost = shifts.reduce(
      (sum, weight, shift) => (weight === 0 ? sum : sum + weight * costAt(shift / width)),
      0,
    );
    return {
      cost: cost / total(shifts),
      ideal: Math.ceil((distinctElements(vectors) * bytes) / idealBytes),
      laneStride: strideOf(elements),
    };
  };
  const requests = remembering(one, period);
  const ownElements = evaluate(own, new Map(), known);
  const [full, partial] = [new Map<Requests, number>(), new Map<Requests, number>()];
  const periodIn = (counter: Counter): number => periodUnder(masks, visiting, counter, period);
  for (const { point, times } of visitsOf(visited, periodIn)) {
    const here =
      visiting.terms.length === 0 ? ownElements : plus(ownElements, visiting, point, known);
    const elements = taking(here, masks, point, known);
    if (elements.length === 0) continue;
    const counts = elements.length === WARP_LANES ? full : partial;
    const found = requests(elements);
    counts.set(found, (counts.get(found) ?? 0) + times);
  }
  return meanOf(full.size > 0 ? full : partial);
}

function plus(elements: Lanes, of: Affine, point: Point, known: Known): Lanes {
  const moved = evaluate(of, point, known);
  return moved.map((value, lane) => value + (elements[lane] ?? 0));
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
    laneStride: all.every(([{ laneStride }]) => laneStride === stride) ? stride : null,
  };
}

/** Asks once of requests that are each other, moved by whole sectors or words. */
function remembering(ask: (elements: Lanes) => Requests, period: number): typeof ask {
  const known = new Map<number, { readonly elements: Lanes; readonly requests: Requests }[]>();
  return elements => {
    const key = shapeOf(elements, period);
    const alike = known.get(key) ?? [];
    const same = alike.find(other => sameButMoved(other.elements, elements, period));
    if (same !== undefined) return same.requests;
    const requests = ask(elements);
    known.set(key, [...alike, { elements, requests }]);
    return requests;
  };
}

/** The same number for requests that are each other but for whole periods; seldom for others. */
function shapeOf(elements: Lanes, period: number): number {
  const first = elements[0] ?? 0;
  let shape = first % period;
  for (const element of elements) shape = (Math.imul(shape, 31) + (element - first)) | 0;
  return shape;
}

/** Whether one request is the other, moved by whole sectors or words. */
function sameButMoved(one: Lanes, other: Lanes, period: number): boolean {
  const by = (other[0] ?? 0) - (one[0] ?? 0);
  return (
    one.length === other.length &&
    by % period === 0 &&
    other.every((element, lane) => element - (one[lane] ?? 0) === by)
  );
}

function strideOf(elements: Lanes): number | null {
  const gap = (elements[1] ?? NaN) - (elements[0] ?? NaN);
  const same = elements.every(
    (element, lane) => lane === 0 || element - (elements[lane - 1] ?? 0) === gap,
  );
  return same && elements.length > 1 ? gap : null;
}

/** More than this costs shared memory without curing what less did not. */
const MOST_PADDING = 8;

/** Least padding of the tile's rows that brings the ideal. */
function cure(access: AccessSite, kernel: Kernel, ideal: number, known: Known): number | null {
  const { plan } = kernel;
  const { operand } = access.site;
  if (operand !== 'a' && operand !== 'b') return null;
  const tile = plan.shared?.[operand];
  if (tile === undefined) return null;
  const bytes = DTYPE_BYTES[plan.dtypes[operand]];
  const laned = plan.laned?.[operand];
  const widest = Math.max(access.width, laned?.fragment ?? 1);
  for (let padding = 1; padding <= MOST_PADDING; padding++) {
    // Rows that a vector would not divide are read by narrower accesses.
    if ((tile.inner + padding) % widest !== 0) continue;
    const requests = requestsOf(access, tile.inner + padding, bytes, known);
    if (requests !== null && requests.cost <= ideal) return padding;
  }
  return null;
}
