/**
 * What a full warp asks of global and of shared memory at every access site, away from the edges of the matrix:
 * the mean over all warps, blocks and iterations. Warps are evaluated lane by lane; an index that all lanes
 * share moves a request as a whole, so of it only the remainder by a sector (or by a bank's word) counts.
 */
import type { Kernel } from '../emit/kernel';
import {
  countersOf,
  fixed,
  opaqueCountersOf,
  scaled,
  sum,
  type Affine,
  type Counter,
} from '../ir/affine';
import { DTYPE_BYTES } from '../spec/dtype';
import type { GlobalAccess, SharedAccess } from './analysis';
import {
  evaluate,
  pointsOf,
  WARP_LANES,
  warpsOf,
  type Lanes,
  type Point,
  type Warp,
} from './lanes';
import {
  BANK_BYTES,
  BANKS,
  distinctElements,
  SECTOR_BYTES,
  sectorsOf,
  wavefrontsOf,
} from './requestCost';
import { accessSites, type AccessSite, type Mask } from './sites';

export interface WarpAccesses {
  readonly global: readonly GlobalAccess[];
  readonly shared: readonly SharedAccess[];
}

/** Sectors and wavefronts a request, by access site. */
export function warpAccesses(kernel: Kernel): WarpAccesses {
  const bytes = DTYPE_BYTES[kernel.plan.dtype];
  const warps = warpsOf(kernel.block);
  const global: GlobalAccess[] = [];
  const shared: SharedAccess[] = [];
  for (const access of accessSites(kernel, warps)) {
    const { site, op } = access;
    const widthBytes = bytes * access.width;
    const common = { site: site.name, operand: site.operand, op, widthBytes };
    const requests = requestsOf(access, access.row, warps, bytes);
    if (requests === null) continue;
    const { cost, ideal, laneStride } = requests;
    if (access.space === 'global') {
      global.push({ ...common, sectorsPerRequest: cost, idealSectors: ideal, laneStride });
      continue;
    }
    const curingPadding = cost > ideal ? cure(access, kernel, warps, ideal) : null;
    shared.push({ ...common, wavefrontsPerRequest: cost, idealWavefronts: ideal, curingPadding });
  }
  return { global, shared };
}

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
  warps: readonly Warp[],
  elementBytes: number,
): Requests | null {
  const { costOf, unitBytes, idealBytes } = COSTS[space];
  // A vector counts as one element of its own size.
  const bytes = elementBytes * width;
  const period = Math.max(1, unitBytes / bytes);
  const address = scaled(sum(sum(scaled(outer, row), inner), fixed(base)), 1 / width);
  const visited = new Set([...opaqueCountersOf(address), ...masks.flatMap(countersOf)]);
  const shifts = shiftsOf(address, visited, period);
  const one = (elements: Lanes): Requests => {
    const costAt = costOf(elements, bytes);
    const costs = shifts.map((weight, shift) => (weight === 0 ? 0 : weight * costAt(shift)));
    return {
      cost: total(costs) / total(shifts),
      ideal: Math.ceil((distinctElements(elements) * bytes) / idealBytes),
      laneStride: strideOf(elements, width),
    };
  };
  const points = [...pointsOf([...visited])];
  const full: Requests[] = [];
  const partial: Requests[] = [];
  let known: { readonly elements: Lanes; readonly requests: Requests } | undefined;
  for (const warp of warps) {
    for (const point of points) {
      const elements = taking(evaluate(address, warp, point), masks, warp, point);
      if (elements.length === 0) continue;
      const requests =
        known !== undefined && sameButMoved(known.elements, elements, period)
          ? known.requests
          : one(elements);
      known = { elements, requests };
      (elements.length === WARP_LANES ? full : partial).push(requests);
    }
  }
  return meanOf(full.length > 0 ? full : partial);
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function meanOf(all: readonly Requests[]): Requests | null {
  const [first] = all;
  if (first === undefined) return null;
  const mean = (of: (requests: Requests) => number): number => total(all.map(of)) / all.length;
  const stride = first.laneStride;
  return {
    cost: mean(({ cost }) => cost),
    ideal: mean(({ ideal }) => ideal),
    laneStride: all.every(({ laneStride }) => laneStride === stride) ? stride : null,
  };
}

/** Of all values of the counters that are not visited: how many move a request by 0, 1, ... elements, modulo `period`. */
function shiftsOf(
  { terms }: Affine,
  visited: ReadonlySet<Counter>,
  period: number,
): readonly number[] {
  let shifts = Array.from({ length: period }, (_, shift): number => (shift === 0 ? 1 : 0));
  for (const { atom, factor } of terms) {
    if (atom.kind !== 'counter' || visited.has(atom) || factor % period === 0) continue;
    const next = shifts.map(() => 0);
    for (let value = 0; value < Math.min(period, atom.count); value++) {
      const times = Math.ceil((atom.count - value) / period);
      shifts.forEach((weight, shift) => {
        const to = (shift + factor * value) % period;
        next[to] = (next[to] ?? 0) + weight * times;
      });
    }
    shifts = next;
  }
  return shifts;
}

/** Elements of the lanes that take part. */
function taking(elements: Lanes, masks: readonly Mask[], warp: Warp, point: Point): Lanes {
  if (masks.length === 0) return elements;
  const values = masks.map(mask => evaluate(mask, warp, point));
  return elements.filter((_, lane) => values.every(value => (value[lane] ?? 0) < 0));
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

function strideOf(elements: Lanes, width: number): number | null {
  const gap = (elements[1] ?? NaN) - (elements[0] ?? NaN);
  const same = elements.every(
    (element, lane) => lane === 0 || element - (elements[lane - 1] ?? 0) === gap,
  );
  return same && elements.length > 1 ? gap * width : null;
}

/** More than this costs shared memory without curing what less did not. */
const MOST_PADDING = 8;

/** Least padding of the tile's rows that brings the ideal. */
function cure(
  access: AccessSite,
  kernel: Kernel,
  warps: readonly Warp[],
  ideal: number,
): number | null {
  const { plan } = kernel;
  const { operand } = access.site;
  const tile = operand === 'c' ? undefined : plan.shared?.[operand];
  if (tile === undefined) return null;
  const bytes = DTYPE_BYTES[plan.dtype];
  const laned = operand === 'c' ? undefined : plan.laned?.[operand];
  const widest = Math.max(access.width, laned?.fragment ?? 1);
  for (let padding = 1; padding <= MOST_PADDING; padding++) {
    // Rows that a vector would not divide are read by narrower accesses.
    if ((tile.inner + padding) % widest !== 0) continue;
    const requests = requestsOf(access, tile.inner + padding, warps, bytes);
    if (requests !== null && requests.cost <= ideal) return padding;
  }
  return null;
}
