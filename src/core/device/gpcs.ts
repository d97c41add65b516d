/** How the SMs of a chip are divided into graphics processing clusters, as far as it is published. */
import type { DeviceRow } from './deviceSpec';

/** 66 of 72 TPCs are on, in 8 GPCs of up to 9; which ones differs from chip to chip. */
export const HOPPER_GPCS: NonNullable<DeviceRow['gpcs']> = {
  sms: [18, 18, 18, 16, 16, 16, 16, 14],
  most: 18,
  source:
    'H100 whitepaper: 8 GPCs of up to 9 TPCs of 2 SMs, 66 TPCs on; divided so that 15 clusters of 8 blocks fit, as cuBLAS launches them (grid 60 x 2 of clusters 4 x 2, https://github.com/NVIDIA/cutlass/issues/1921)',
};
