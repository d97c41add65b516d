/** Numbers of SMs per graphics processing cluster (GPC), for the chips where they are known. */
import type { DeviceRow } from './deviceSpec';

/**
 * GPCs of GH100 with 66 of 72 TPCs (SM pairs) enabled, in 8 GPCs of up to 9 TPCs. The distribution
 * varies between chips.
 */
export const HOPPER_GPCS: NonNullable<DeviceRow['gpcs']> = {
  sms: [18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2],
  count: 8,
  most: 18,
  source:
    'cudaOccupancyMaxActiveClusters results for 200 kernels on an H200 (bench/h200-occupancy.json); 8 GPCs of up to 9 TPCs: H100 whitepaper',
};

/**
 * Maximum number of resident cluster blocks per SM, derived from the occupancy API results in
 * bench/h200-occupancy.json.
 */
const MAX_BLOCKS_PER_SM = 8;

/**
 * Returns the number of resident clusters. Each block of a cluster requires a different SM, so a
 * GPC with fewer SMs than blocks holds no cluster.
 */
export function activeClusters(gpcs: readonly number[], blocksPerSm: number, size: number): number {
  const resident = Math.min(blocksPerSm, MAX_BLOCKS_PER_SM);
  return gpcs.reduce((sum, sms) => sum + (sms < size ? 0 : Math.floor((sms * resident) / size)), 0);
}
