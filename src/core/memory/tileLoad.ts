/** Computes the time to load one A and one B tile for a block while all blocks load tiles. */
import { bandwidthsOf } from '../hardware/bandwidth';
import type { Device } from '../hardware/devices';
import type { Plan } from '../plan/plan';
import { dramTraffic } from './dramTraffic';

export interface TileLoad {
  /** Nanoseconds from the first byte to the last. */
  readonly load: number;
  /** Bottleneck: the L2 bandwidth shared by all blocks, or the DRAM bandwidth. */
  readonly loadsFrom: 'l2' | 'dram';
}

export interface TileBytes {
  readonly a: number;
  readonly b: number;
  /** Bytes that each block reads from the L2 cache. */
  readonly asked: number;
  readonly blocks: number;
  /** L2 bandwidth in GB/s. Default: the L2 read bandwidth of the device. */
  readonly l2GBps?: number;
}

export function tileLoad(plan: Plan, device: Device, tiles: TileBytes): TileLoad {
  const { a, b, asked, blocks, l2GBps = bandwidthsOf(device).l2[0]?.GBps } = tiles;
  const dramGBps = dramGBpsOf(device);
  // Each SM gets an equal fraction of the L2 bandwidth. Each distinct tile is loaded from DRAM once
  // for all blocks.
  const fromL2 = l2GBps === undefined ? 0 : (asked * device.multiprocessors) / l2GBps;
  const l2Bytes = device.l2CacheMiB === undefined ? null : device.l2CacheMiB * 2 ** 20;
  const { round } = dramTraffic(plan, { blocksInStep: blocks, l2Bytes });
  const fromDram = (round.panelsA * a + round.panelsB * b) / dramGBps;
  return { load: Math.max(fromL2, fromDram), loadsFrom: fromL2 >= fromDram ? 'l2' : 'dram' };
}

export const dramGBpsOf = ({ measured, memoryBandwidthGBps }: Device): number =>
  measured?.memoryBandwidthGBps ?? memoryBandwidthGBps;
