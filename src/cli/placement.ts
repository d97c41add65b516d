/** Placement rows of `analyze`: shared memory and L1 per SM, and thread block clusters. */
import type { Analysis } from '../core/report/analysis';
import { carveOutsOf, chosenCarveOut, type CarveOut } from '../core/occupancy/carveOuts';
import { clusterReport, type ClusterReport } from '../core/occupancy/clusters';
import { findDevice } from '../core/hardware/devices';
import type { Cell } from './table';

/** Fields are null without occupancy; clusters also before compute capability 9.0. */
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
            `${carveOut.sharedKiB} KiB shared memory per SM, ${carveOut.l1KiB} KiB left for L1 (minimum for ${carveOut.blocksPerSm} blocks)`,
          ],
        ]),
    ...(clusters === null
      ? []
      : [
          [
            'resident clusters',
            clusters.counts
              .map(({ size, clusters: count, blocks }) => `${count} of ${size} (${blocks} blocks)`)
              .join(', '),
          ],
          [
            '',
            clusters.gpcs === null
              ? 'upper bound: the number of SMs per GPC is not published'
              : `for the SMs per GPC of one queried chip: ${clusters.gpcs.join(', ')}; chips differ`,
          ],
        ]),
  ];
}
