/** How the SMs of a chip are divided into graphics processing clusters, as far as it is known. */
import type { DeviceRow } from './deviceSpec';

/** GH100 with 66 of its 72 TPCs (pairs of SMs) on, in 8 GPCs of up to 9; how they are divided differs from chip to chip. */
export const HOPPER_GPCS: NonNullable<DeviceRow['gpcs']> = {
  sms: [18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2],
  count: 8,
  most: 18,
  source:
    'cudaOccupancyMaxActiveClusters of 200 kernels on an H200 (bench/h200-occupancy.json); 8 GPCs of up to 9 TPCs: H100 whitepaper',
};

/** An SM holds no more blocks of clusters than these: the runtime's answers, bench/h200-occupancy.json. */
const MOST_BLOCKS_PER_SM = 8;

/** Each block of a cluster has an SM of its own, beside blocks of others: a group with fewer SMs holds none. */
export function activeClusters(gpcs: readonly number[], blocksPerSm: number, size: number): number {
  const held = Math.min(blocksPerSm, MOST_BLOCKS_PER_SM);
  return gpcs.reduce((sum, sms) => sum + (sms < size ? 0 : Math.floor((sms * held) / size)), 0);
}
