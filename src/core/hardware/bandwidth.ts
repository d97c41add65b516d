/** Bandwidths of the memory levels of a device, with their sources. */
import type { Device } from './devices';
import type { ComputeCapability } from './computeCapability';

export const LEVELS_WITH_CEILING = ['shared', 'l1', 'l2', 'dram'] as const;
export type LevelWithCeiling = (typeof LEVELS_WITH_CEILING)[number];

export interface Bandwidth {
  readonly GBps: number;
  readonly from: 'spec' | 'derived' | 'measured';
  /** Source of the figure: the datasheet, a formula, or the measurement. */
  readonly origin: string;
}

/**
 * Returns the bytes per clock that an SM reads from its L1 cache or shared memory. The value is 32
 * banks of 4 bytes (CUDA C++ Programming Guide, "Shared Memory"). Turing has half of it (GA102
 * whitepaper, "Larger and Faster L1 Cache and Shared Memory").
 */
const bytesPerClock = (computeCapability: ComputeCapability): number =>
  computeCapability === '7.5' ? 64 : 128;

/**
 * Returns the known bandwidths of each memory level; the list of a level is empty if its bandwidth
 * is unknown. A measured DRAM bandwidth follows the published one.
 */
export function bandwidthsOf(
  device: Device,
): Readonly<Record<LevelWithCeiling, readonly Bandwidth[]>> {
  const { memoryBandwidthGBps, measured, l2Read, source } = device;
  const perSm = perSmBandwidth(device);
  return {
    shared: perSm,
    l1: perSm,
    l2:
      l2Read === undefined ? [] : [{ GBps: l2Read.GBps, from: l2Read.from, origin: l2Read.source }],
    dram: [
      { GBps: memoryBandwidthGBps, from: 'spec', origin: source },
      ...(measured === undefined
        ? []
        : [
            {
              GBps: measured.memoryBandwidthGBps,
              from: 'measured' as const,
              origin: measured.how,
            },
          ]),
    ],
  };
}

function perSmBandwidth(device: Device): readonly Bandwidth[] {
  const { computeCapability, multiprocessors, boostClockMHz } = device;
  if (computeCapability === undefined || boostClockMHz === undefined) return [];
  const bytes = bytesPerClock(computeCapability);
  return [
    {
      GBps: (bytes * multiprocessors * boostClockMHz) / 1000,
      from: 'derived',
      origin: `${bytes} B/clock x ${multiprocessors} SMs x ${boostClockMHz} MHz`,
    },
  ];
}
