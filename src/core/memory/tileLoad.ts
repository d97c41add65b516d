/** How long the memories take for a tile of A and of B, of one block among others that all do alike. */
import { bandwidthsOf } from '../hardware/bandwidth';
import type { Device } from '../hardware/devices';
import type { Plan } from '../plan/plan';
import { dramTraffic } from './dramTraffic';

export interface TileLoad {
  /** Nanoseconds from its first byte to its last. */
  readonly load: number;
  /** What a load waits for: the L2 cache that all blocks read, or DRAM that it is filled from. */
  readonly loadsFrom: 'l2' | 'dram';
}

export interface TileBytes {
  readonly a: number;
  readonly b: number;
  /** That the L2 cache gives each block. */
  readonly asked: number;
  /** That run side by side. */
  readonly blocks: number;
  /** Of the L2 cache, where it is not that of lines which nobody shares. */
  readonly l2GBps?: number;
}

export function tileLoad(plan: Plan, device: Device, tiles: TileBytes): TileLoad {
  const { a, b, asked, blocks, l2GBps = bandwidthsOf(device).l2[0]?.GBps } = tiles;
  const dramGBps = dramGBpsOf(device);
  // Blocks run side by side: what one asks for has its share of the L2's rate, and DRAM fills what all of them ask for once.
  const fromL2 = l2GBps === undefined ? 0 : (asked * device.multiprocessors) / l2GBps;
  const l2Bytes = device.l2CacheMiB === undefined ? null : device.l2CacheMiB * 2 ** 20;
  const { round } = dramTraffic(plan, { blocksInStep: blocks, l2Bytes });
  const fromDram = (round.panelsA * a + round.panelsB * b) / dramGBps;
  return { load: Math.max(fromL2, fromDram), loadsFrom: fromL2 >= fromDram ? 'l2' : 'dram' };
}

export const dramGBpsOf = ({ measured, memoryBandwidthGBps }: Device): number =>
  measured?.memoryBandwidthGBps ?? memoryBandwidthGBps;
