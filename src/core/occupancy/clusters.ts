/**
 * Counts resident thread block clusters (compute capability 9.0 and later). A cluster runs on the
 * SMs of one graphics processing cluster (GPC), so leftover SMs of a GPC stay idle. GPC sizes vary
 * between chips. These counts assume typical GPCs; `cudaOccupancyMaxActiveClusters` reports the
 * count of the actual chip.
 */
import { isComputeCapability, limitsOf } from '../hardware/computeCapability';
import { activeClusters } from '../hardware/gpcs';
import type { Device } from '../hardware/devices';

/**
 * Supported cluster sizes in blocks. Size 16 requires a kernel that allows non-portable cluster
 * sizes.
 */
export const CLUSTER_SIZES = [2, 4, 8, 16] as const;

export interface ClusterCount {
  readonly size: number;
  readonly clusters: number;
  readonly blocks: number;
}

export interface ClusterReport {
  /**
   * Assumed number of SMs in each GPC, including SM pairs outside the GPCs. Null if not published;
   * then the counts are upper bounds.
   */
  readonly gpcs: readonly number[] | null;
  readonly source: string | null;
  readonly counts: readonly ClusterCount[];
}

/**
 * Returns the cluster counts. Returns null before compute capability 9.0, or if no block fits on an
 * SM.
 */
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

/** Recorded counts of the CUDA runtime for one kernel, for clusters of 2, 4 and 8 blocks. */
export interface ClusterCase {
  readonly specKey: string;
  readonly blocksPerSm: number;
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
  /** All combinations of GPC sizes, largest first, that reproduce every recorded count. */
  readonly possibleGpcs: readonly (readonly number[])[];
}

/**
 * Compares recorded counts of the CUDA runtime with computed counts. Skips cases and cluster sizes
 * that cannot be launched.
 */
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

/** SMs per texture processing cluster. Some of these pairs do not belong to a GPC. */
const PAIR = 2;

/**
 * Returns all divisions of the SMs into at most `count` GPCs, largest first, and leftover pairs.
 */
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
