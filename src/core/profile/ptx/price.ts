/** Prices PTX requests with the common sector and wavefront rules. */
import { WARP_LANES } from '../../hardware/warp';
import {
  activeLaneValues,
  distinctElements,
  minWavefronts,
  phasesOf,
  SECTOR_BYTES,
  sectorsOf,
  wavefrontsOf,
  type RequestKind,
} from '../../memory/requestCost';
import type { Shape } from './tally';

export interface Priced {
  readonly cost: number;
  readonly ideal: number;
  readonly unhindered: number;
  readonly bytes: number;
  /**
   * Byte stride between consecutive lanes; null unless all active lanes are consecutive and have
   * the same stride.
   */
  readonly stride: number | null;
  /**
   * Most frequent byte stride between consecutive lanes; null if fewer than half of the lane pairs
   * have this stride.
   */
  readonly mostly: number | null;
}

export function priceOf(
  addresses: Float64Array,
  space: 'global' | 'shared',
  kind: RequestKind,
): Priced {
  const elements = addresses.map(address => address / kind.bytes);
  const bytes = distinctElements(elements) * kind.bytes;
  const sectors = Math.ceil(bytes / SECTOR_BYTES);
  const isGlobal = space === 'global';
  return {
    cost: (isGlobal ? sectorsOf : wavefrontsOf)(elements, kind)(0),
    ideal: isGlobal ? sectors : minWavefronts(elements, kind),
    unhindered: isGlobal ? sectors : phasesOf(elements, kind),
    bytes,
    ...distances(addresses),
  };
}

function distances(addresses: Float64Array): Pick<Priced, 'stride' | 'mostly'> {
  const counts = new Map<number, number>();
  let pairs = 0;
  for (let lane = 1; lane < WARP_LANES; lane++) {
    const distance = (addresses[lane] ?? NaN) - (addresses[lane - 1] ?? NaN);
    if (Number.isNaN(distance)) continue;
    counts.set(distance, (counts.get(distance) ?? 0) + 1);
    pairs += 1;
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  if (most === undefined) return { stride: null, mostly: null };
  const whole = pairs === activeLaneValues(addresses).length - 1 && counts.size === 1;
  return { stride: whole ? most[0] : null, mostly: 2 * most[1] >= pairs ? most[0] : null };
}

export interface PricedShape {
  readonly shape: Shape;
  readonly priced: Priced;
}

/**
 * Averages the costs over all requests; a stride is null if it differs between requests. Returns
 * null without requests.
 */
export function meanOf(all: readonly PricedShape[]): Priced | null {
  const [first] = all;
  if (first === undefined) return null;
  const count = all.reduce((sum, { shape }) => sum + shape.times, 0);
  const mean = (of: (priced: Priced) => number): number =>
    all.reduce((sum, { shape, priced }) => sum + shape.times * of(priced), 0) / count;
  const same = (of: (priced: Priced) => number | null): number | null =>
    all.every(({ priced }) => of(priced) === of(first.priced)) ? of(first.priced) : null;
  return {
    cost: mean(({ cost }) => cost),
    ideal: mean(({ ideal }) => ideal),
    unhindered: mean(({ unhindered: idealWavefronts }) => idealWavefronts),
    bytes: mean(({ bytes }) => bytes),
    stride: same(({ stride }) => stride),
    mostly: same(({ mostly: commonStride }) => commonStride),
  };
}
