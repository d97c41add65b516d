/**
 * Formats the rows of `analyze` on SM resources: carve-out of shared memory and L1, and resident
 * thread block clusters.
 */
import type { Analysis } from '../core/report/analysis';
import { carveOutsOf, chosenCarveOut, type CarveOut } from '../core/occupancy/carveOuts';
import { clusterReport, type ClusterReport } from '../core/occupancy/clusters';
import { findDevice } from '../core/hardware/devices';
import type { Cell } from './table';

/**
 * Fields are null if the occupancy is unknown. `clusters` is also null below compute capability
 * 9.0, and if no block fits on an SM.
 */
export interface Placement {
  readonly carveOut: CarveOut | null;
  readonly clusters: ClusterReport | null;
}

export function placementOf({ occupancy, device: id }: Analysis): Placement {
  const device = findDevice(id);
  if (occupancy === null || device?.computeCapability === undefined) {
    return { carveOut: null, clusters: null };
  }
  const carveOuts = carveOutsOf({
    computeCapability: device.computeCapability,
    threadsPerBlock: occupancy.threads,
    registersPerThread: occupancy.registers.value,
    sharedBytesPerBlock: occupancy.sharedBytes.value,
  });
  return {
    carveOut: chosenCarveOut(carveOuts),
    clusters: clusterReport(device, occupancy.blocksPerSm),
  };
}

export function placementRows({ carveOut, clusters }: Placement): readonly (readonly Cell[])[] {
  return [
    ...(carveOut === null
      ? []
      : [
          [
            'carve-out',
            `${carveOut.sharedKiB} KiB shared memory per SM, ${carveOut.l1KiB} KiB left for L1 (smallest carve-out for ${carveOut.blocksPerSm} blocks per SM)`,
          ],
        ]),
    ...(clusters === null
      ? []
      : [
          [
            'resident clusters',
            clusters.counts
              .map(
                ({ size, clusters: count, blocks }) =>
                  `${count} clusters of ${size} blocks (${blocks} blocks in total)`,
              )
              .join(', '),
          ],
          [
            '',
            clusters.gpcs === null
              ? 'upper bound: the number of SMs per GPC is not published'
              : `assumes the SMs per GPC of one queried chip: ${clusters.gpcs.join(', ')}; chips differ`,
          ],
        ]),
  ];
}
