/** What `analyze` says of a kernel's place on an SM and on the chip: shared memory beside L1, and thread block clusters. */
import type { Analysis } from '../core/report/analysis';
import { carveOutsOf, chosenCarveOut, type CarveOut } from '../core/occupancy/carveOuts';
import { clusterReport, type ClusterReport } from '../core/occupancy/clusters';
import { findDevice } from '../core/hardware/devices';
import type { Cell } from './table';

/** Null each where there is no occupancy, and clusters before 9.0. */
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
            `${carveOut.sharedKiB} KiB shared memory an SM, ${carveOut.l1KiB} KiB left to L1 (the least that holds ${carveOut.blocksPerSm} blocks)`,
          ],
        ]),
    ...(clusters === null
      ? []
      : [
          [
            'clusters at once',
            clusters.counts
              .map(({ size, clusters: count, blocks }) => `${count} of ${size} (${blocks} blocks)`)
              .join(', '),
          ],
          [
            '',
            clusters.gpcs === null
              ? 'at most: how the SMs are divided into GPCs is not published'
              : `if SMs are grouped as on one that was asked: ${clusters.gpcs.join(', ')}; chips differ`,
          ],
        ]),
  ];
}
