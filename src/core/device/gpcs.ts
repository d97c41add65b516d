/** How the SMs of a chip are divided into graphics processing clusters, as far as it is known. */
import type { DeviceRow } from './deviceSpec';

/** GH100 with 66 of its 72 TPCs (pairs of SMs) on, in 8 GPCs of up to 9; how they are divided differs from chip to chip. */
export const HOPPER_GPCS: NonNullable<DeviceRow['gpcs']> = {
  sms: [18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2],
  ...{ count: 8, most: 18 },
  source:
    'cudaOccupancyMaxActiveClusters of 200 kernels on an H200 (bench/h200-occupancy.json); 8 GPCs of up to 9 TPCs: H100 whitepaper',
};
