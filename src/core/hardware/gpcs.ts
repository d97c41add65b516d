/** Known divisions of a chip's SMs into graphics processing clusters. */
import type { DeviceRow } from './deviceSpec';

/**
 * GH100 with 66 of 72 TPCs (SM pairs) enabled, in 8 GPCs of up to 9 TPCs; the division varies
 * between chips.
 */
export const HOPPER_GPCS: NonNullable<DeviceRow['gpcs']> = {
  sms: [18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2],
  count: 8,
  most: 18,
  source:
    'cudaOccupancyMaxActiveClusters of 200 kernels on an H200 (bench/h200-occupancy.json); 8 GPCs of up to 9 TPCs: H100 whitepaper',
};

/**
 * Maximum number of cluster blocks per SM, from the runtime's results in bench/h200-occupancy.json.
 */
const MAX_BLOCKS_PER_SM = 8;

/**
 * Counts resident clusters. Every block of a cluster needs a different SM, so a GPC with fewer SMs
 * holds no cluster.
 */
export function activeClusters(gpcs: readonly number[], blocksPerSm: number, size: number): number {
  const resident = Math.min(blocksPerSm, MAX_BLOCKS_PER_SM);
  return gpcs.reduce((sum, sms) => sum + (sms < size ? 0 : Math.floor((sms * resident) / size)), 0);
}
