/**
 * Thread block clusters (compute capability 9.0 and later): how many are resident on a GPU at a
 * time. A cluster runs on the SMs of one graphics processing cluster (GPC), so remaining SMs of
 * each GPC are lost. The GPC sizes vary between chips: counts assume typical GPCs, while
 * `cudaOccupancyMaxActiveClusters` reports the actual chip.
 */
import { isComputeCapability, limitsOf } from '../hardware/computeCapability';
import { activeClusters } from '../hardware/gpcs';
import type { Device } from '../hardware/devices';

/** Blocks per cluster; 16 requires a kernel that allows non-portable sizes. */
export const CLUSTER_SIZES = [2, 4, 8, 16] as const;

export interface ClusterCount {
  /** Blocks per cluster. */
  readonly size: number;
  readonly clusters: number;
  /** Concurrent blocks. */
  readonly blocks: number;
}

export interface ClusterReport {
  /**
   * Assumed SMs per GPC, including SM pairs outside any GPC. Null if not published; counts are then
   * upper bounds.
   */
  readonly gpcs: readonly number[] | null;
  /** Source of the assumption. */
  readonly source: string | null;
  readonly counts: readonly ClusterCount[];
}

/** Returns null before 9.0 and if no block fits on an SM. */
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

/** Recorded runtime counts of a kernel for clusters of 2, 4 and 8 blocks. */
export interface ClusterCase {
  readonly specKey: string;
  readonly blocksPerSm: number;
  /** Indexed as `RECORDED_SIZES`. */
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
  /** All divisions of the SMs into GPCs, largest first, that match every recorded count. */
  readonly possibleGpcs: readonly (readonly number[])[];
}

/**
 * Compares recorded runtime counts with computed counts. Kernels that cannot be launched as
 * clusters are skipped.
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

/** SMs come in pairs (texture processing clusters); some pairs do not belong to a GPC. */
const PAIR = 2;

/** Returns every division of SMs into at most `count` GPCs, largest first, and pairs. */
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
