/**
 * Thread block clusters (compute capability 9.0 and later): how many of them a GPU holds at a time. The blocks of a cluster run
 * on as many SMs of one graphics processing cluster (GPC), so what is left over in each GPC is lost. How a chip's SMs are
 * divided differs from chip to chip: a count is of assumed GPCs, `cudaOccupancyMaxActiveClusters` knows the chip's own.
 */
import { isComputeCapability, limitsOf } from '../hardware/computeCapability';
import { activeClusters } from '../hardware/gpcs';
import type { Device } from '../hardware/devices';

/** Blocks of a cluster; 16 only where a kernel allows sizes that are not portable. */
export const CLUSTER_SIZES = [2, 4, 8, 16] as const;

export interface ClusterCount {
  /** Blocks of a cluster. */
  readonly size: number;
  readonly clusters: number;
  /** That run at once. */
  readonly blocks: number;
}

export interface ClusterReport {
  /** SMs of each GPC and pairs of SMs in none, as assumed; null where nothing is published: counts are then the most that the SMs allow. */
  readonly gpcs: readonly number[] | null;
  /** Where the assumption comes from. */
  readonly source: string | null;
  readonly counts: readonly ClusterCount[];
}

/** Null before 9.0, and for a block that fits no SM. */
export function clusterReport(device: Device, blocksPerSm: number): ClusterReport | null {
  const { computeCapability, gpcs, multiprocessors } = device;
  if (computeCapability === undefined || !hasClusters(computeCapability) || blocksPerSm < 1) {
    return null;
  }
  return {
    gpcs: gpcs?.sms ?? null,
    source: gpcs?.source ?? null,
    counts: CLUSTER_SIZES.map(size => {
      const clusters =
        gpcs === undefined
          ? Math.floor((multiprocessors * blocksPerSm) / size)
          : activeClusters(gpcs.sms, blocksPerSm, size);
      return { size, clusters, blocks: clusters * size };
    }),
  };
}

export const hasClusters = (computeCapability: string): boolean =>
  isComputeCapability(computeCapability) && limitsOf(computeCapability).clusters;

/** A kernel of a record: what the runtime says of clusters of 2, 4 and 8 blocks. */
export interface ClusterCase {
  readonly specKey: string;
  readonly blocksPerSm: number;
  /** By `RECORDED_SIZES`. */
  readonly clusters: readonly number[];
}

export const RECORDED_SIZES = [2, 4, 8] as const;

export interface ClusterComparison {
  readonly cases: number;
  readonly differing: readonly {
    readonly specKey: string;
    readonly size: number;
    readonly blocksPerSm: number;
    readonly ours: number;
    readonly runtime: number;
  }[];
  /** Every division of the chip's SMs into GPCs, largest first, that gives all that the runtime said. */
  readonly possibleGpcs: readonly (readonly number[])[];
}

/** The runtime's answers beside ours, and what they tell of the chip; cases that cannot be launched as clusters have 0 and are left out. */
export function compareClusters(device: Device, all: readonly ClusterCase[]): ClusterComparison {
  const sms = device.gpcs?.sms ?? [device.multiprocessors];
  const cases = all.filter(({ blocksPerSm }) => blocksPerSm > 0);
  const answers = cases.flatMap(({ specKey, blocksPerSm, clusters }) =>
    RECORDED_SIZES.flatMap((size, index) => {
      const runtime = clusters[index] ?? 0;
      return runtime === 0 ? [] : [{ specKey, size, blocksPerSm, runtime }];
    }),
  );
  const holds = (gpcs: readonly number[]): boolean =>
    answers.every(
      ({ size, blocksPerSm, runtime }) => activeClusters(gpcs, blocksPerSm, size) === runtime,
    );
  return {
    cases: cases.length,
    differing: answers
      .map(answer => ({ ...answer, ours: activeClusters(sms, answer.blocksPerSm, answer.size) }))
      .filter(({ ours, runtime }) => ours !== runtime),
    possibleGpcs:
      device.gpcs === undefined || answers.length === 0
        ? []
        : divisions(device.multiprocessors, device.gpcs).filter(holds),
  };
}

/** SMs come in pairs (texture processing clusters), and some pairs are in no GPC. */
const PAIR = 2;

/** Every way to share SMs among so many GPCs at most, largest first, and pairs. */
function divisions(
  sms: number,
  { count, most }: Pick<NonNullable<Device['gpcs']>, 'count' | 'most'>,
): readonly (readonly number[])[] {
  const pairs = Array.from({ length: sms / PAIR }, () => PAIR);
  const found: (readonly number[])[] = [pairs];
  if (count === 0) return found;
  for (let first = Math.min(most, sms); first > PAIR; first -= PAIR) {
    const others = divisions(sms - first, { count: count - 1, most: first });
    for (const rest of others) found.push([first, ...rest]);
  }
  return found;
}
