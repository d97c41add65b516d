/**
 * Ranks measured schedules for a problem. At a measured shape, measured schedules rank first. At
 * other shapes, the wave model predicts rates from neighboring shapes. For WGSL, which has no other
 * model, it also predicts split-K variants, and problems far from every measured shape. Tables of
 * related devices follow the table of the device, unless only they have a near shape.
 *
 * Distances between shapes are in octaves, that is, differences of base-2 logarithms of M, N, K and
 * the batch count.
 */
import { findDevice } from '../../hardware/devices';
import type { ResolvedProblem } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import { flops } from '../../spec/resolved';
import type { Adapter } from './adapterFamily';
import { layoutsOf, shapeOf, tableKey, typesOf, type DispatchRow } from './row';
import { octavesOf, type Candidate, type DispatchTable, type Point } from './table';
import { reductionNanoseconds, splitKVariants } from './splitKVariants';
import { waveEfficiency } from './waveModel';

export type Relation = 'device' | 'compute-capability' | 'lower-compute-capability' | 'family';

export interface Proposal {
  readonly schedule: DispatchRow['schedule'];
  /** Rate in 1e9 FLOP/s, either measured at this shape or predicted. */
  readonly gflops: number;
  readonly how: 'measured' | 'model';
  readonly kin: Relation;
  /** Measured row of this schedule at the nearest shape. */
  readonly row: DispatchRow;
  readonly origin: Point['origin'];
}

export interface DispatchRequest {
  readonly problem: ResolvedProblem;
  readonly device: string;
  readonly target: Target;
  /** WebGPU adapter, which overrides the device (WGSL only). */
  readonly adapter?: Adapter;
}

/**
 * Returns every schedule measured at a shape in reach of the problem; empty if there is none. For
 * WGSL, every measured shape is in reach if no shape is near. Near
 * tables (`NEAR_OCTAVES`) precede the other tables, and tables of more closely related devices come
 * first in both groups. Within a table, rates measured at this shape precede predicted rates, both
 * fastest first.
 */
export function proposals(
  { problem, device: named, target, adapter }: DispatchRequest,
  tables: readonly DispatchTable[],
): readonly Proposal[] {
  const types = typesOf(problem);
  const device = adapter === undefined ? named : (adapter.device ?? '');
  const sameTypes = tables.filter(
    table => table.key === tableKey({ device: table.device, target, types }),
  );
  const levels = sameTypes
    .flatMap(table => {
      const kin = adapter === undefined ? kinOf(named, table) : kinOfAdapter(adapter, table);
      return kin === null ? [] : [{ table, ...kin }];
    })
    .sort((one, other) => one.order - other.order);
  const found = levels.map(({ table, kin }) => proposedBy(table, kin, { problem, device, target }));
  const near = (is: boolean) => found.filter(({ distance }) => distance <= NEAR_OCTAVES === is);
  return [...near(true), ...near(false)].flatMap(({ proposed }) => proposed);
}

/**
 * Maximum distance, in octaves, between the problem and the nearest measured shape of a near table.
 * All near tables precede the other tables.
 */
const NEAR_OCTAVES = 1;

function kinOf(
  device: string,
  table: DispatchTable,
): { readonly kin: Relation; readonly order: number } | null {
  if (table.device === device) return { kin: 'device', order: 0 };
  const [asked, own] = [findDevice(device)?.computeCapability, table.computeCapability];
  if (asked === undefined || own === undefined) return null;
  const lower = Number(asked) - Number(own);
  if (lower < 0) return null;
  return lower === 0
    ? { kin: 'compute-capability', order: 1 }
    : { kin: 'lower-compute-capability', order: 1 + lower };
}

/**
 * Returns the relation of a table to an adapter, with a sort key; null if the table is for a
 * different family. Tables of the same family are ordered by distance in compute capability, if
 * known.
 */
function kinOfAdapter(
  { family, device }: Adapter,
  table: DispatchTable,
): { readonly kin: Relation; readonly order: number } | null {
  if (table.device === device) return { kin: 'device', order: 0 };
  if (table.family !== family) return null;
  const own = device === undefined ? undefined : findDevice(device)?.computeCapability;
  const distance = Math.abs(Number(own) - Number(table.computeCapability));
  return { kin: 'family', order: 1 + (Number.isNaN(distance) ? 0 : distance) };
}

interface Proposed {
  /** Distance to the nearest measured shape, in octaves. */
  readonly distance: number;
  readonly proposed: readonly Proposal[];
}

function proposedBy(table: DispatchTable, kin: Relation, asked: DispatchRequest): Proposed {
  const { problem, target } = asked;
  const close = neighborhoodOf(table, problem, inReach);
  const isFar = close.nearest === undefined && target === 'wgsl';
  const around = isFar ? neighborhoodOf(table, problem, () => true) : close;
  const { nearest } = around;
  if (nearest === undefined) return { distance: Infinity, proposed: [] };
  // With a different SM count, waves differ, so measured rates do not apply directly.
  const same = smCountOf(asked.device, table) === (table.multiprocessors ?? 1);
  const exact = nearest.squared === 0 && same ? nearest.point : undefined;
  const measured = exact?.rates.map(({ row }): Proposal => {
    const { origin } = exact;
    return { schedule: row.schedule, gflops: row.gflops, row, kin, origin, how: 'measured' };
  });
  const there = new Set(exact?.rates.map(({ candidate }) => candidate));
  const expected = around.candidates
    .flatMap((seen, index): Proposal[] => {
      const candidate = table.candidates[index];
      if (there.has(index) || seen.nearest === undefined || candidate === undefined) return [];
      const { row, origin } = seen.nearest;
      const variants = target === 'wgsl' ? splitKVariants(candidate, problem) : [candidate];
      return variants.map(variant => {
        const gflops = expectation(table, variant, seen, asked);
        return { schedule: variant.schedule, gflops, row, origin, how: 'model', kin };
      });
    })
    .sort((one, other) => other.gflops - one.gflops);
  return { distance: Math.sqrt(nearest.squared), proposed: [...(measured ?? []), ...expected] };
}

interface NearbyRates {
  /** Weighted sum of the logarithms of the schedule's full rates. */
  sum: number;
  weights: number;
  /** Square of the distance, in octaves, to the schedule's nearest row. */
  squared: number;
  nearest?: { readonly row: DispatchRow; readonly origin: Point['origin'] };
}

interface Neighborhood {
  readonly nearest: { readonly point: Point; readonly squared: number } | undefined;
  readonly candidates: readonly NearbyRates[];
}

function neighborhoodOf(
  { points, candidates }: DispatchTable,
  problem: ResolvedProblem,
  reaches: (point: Point['octaves'], asked: Point['octaves']) => boolean,
): Neighborhood {
  const octaves = octavesOf(shapeOf(problem));
  const layouts = layoutsOf(problem);
  const seen = candidates.map((): NearbyRates => ({ sum: 0, weights: 0, squared: Infinity }));
  let nearest: Neighborhood['nearest'];
  for (const point of points) {
    if (!reaches(point.octaves, octaves)) continue;
    const squared = squaredDistance(point, octaves, layouts);
    if (nearest === undefined || squared < nearest.squared) nearest = { point, squared };
    // The weight is the inverse square of the squared distance, so a shape at distance 0 has almost
    // all of the weight.
    const weight = 1 / (squared + 1e-6) ** 2;
    for (const { candidate, fullRate, row } of point.rates) {
      const of = seen[candidate];
      if (of === undefined) continue;
      of.sum += weight * fullRate;
      of.weights += weight;
      if (squared >= of.squared) continue;
      of.squared = squared;
      of.nearest = { row, origin: point.origin };
    }
  }
  return { nearest, candidates: seen };
}

/**
 * Exponential discount of a predicted rate per octave of distance to the schedule's nearest row.
 */
const DISCOUNT_PER_OCTAVE = 0.02;

/**
 * Returns the predicted rate in 1e9 FLOP/s: the interpolated full rate, multiplied by the wave
 * efficiency at this shape, the ratio of SM counts, and a discount for distance. A reduction of
 * split-K slices that the measurement did not have adds its time.
 */
function expectation(
  table: DispatchTable,
  candidate: Candidate & { readonly isVariant?: true },
  { sum, weights, squared }: NearbyRates,
  { problem, device }: DispatchRequest,
): number {
  const count = smCountOf(device, table);
  const doubt = Math.exp(-DISCOUNT_PER_OCTAVE * Math.sqrt(squared));
  const efficiency = waveEfficiency(problem, candidate, count, table.model);
  const scale = count / (table.multiprocessors ?? count);
  const rate = Math.exp(sum / weights) * efficiency * doubt * scale;
  const reduction = candidate.isVariant === true ? reductionNanoseconds(candidate, problem) : 0;
  return flops(problem) / (flops(problem) / rate + reduction);
}

const smCountOf = (device: string, table: DispatchTable): number =>
  findDevice(device)?.multiprocessors ?? table.multiprocessors ?? 1;

/**
 * Distance in octaves for each operand with a different layout. The total distance is Euclidean.
 */
const LAYOUT_OCTAVES = 2;

function squaredDistance(point: Point, octaves: Point['octaves'], layouts: string): number {
  let squared = 0;
  for (let i = 0; i < 4; i++) squared += ((point.octaves[i] ?? 0) - (octaves[i] ?? 0)) ** 2;
  for (let i = 0; i < 3; i++) if (point.layouts[i] !== layouts[i]) squared += LAYOUT_OCTAVES ** 2;
  return squared;
}

/** Base-2 logarithm of 2048. `inReach` treats larger M, N and K as 2048. */
const LARGE_OCTAVES = 11;
/**
 * Maximum number of octaves by which a measured M, N or K may exceed (`ABOVE`) or fall below
 * (`BELOW`) the requested value.
 */
const ABOVE = [1, 1, 4] as const;
const BELOW = [2, 2, 4] as const;

/**
 * Returns whether a measured shape is near enough to predict the rate at the requested shape.
 * Ignores the batch count.
 */
const inReach = (point: Point['octaves'], asked: Point['octaves']): boolean =>
  ABOVE.every((above, i) => {
    const [own = 0, other = 0] = [point[i], asked[i]];
    const below = BELOW[i] ?? 0;
    return (
      Math.min(own, LARGE_OCTAVES) - other <= above && Math.min(other, LARGE_OCTAVES) - own <= below
    );
  });
