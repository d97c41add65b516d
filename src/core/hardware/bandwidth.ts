/** What each level of a device's memory moves a second, and how that is known. Leaves out registers. */
import type { Device } from './devices';
import type { ComputeCapability } from './computeCapability';

export const ROOFED_LEVELS = ['shared', 'l1', 'l2', 'dram'] as const;
export type RoofedLevel = (typeof ROOFED_LEVELS)[number];

export interface Bandwidth {
  readonly GBps: number;
  readonly from: 'spec' | 'derived' | 'measured';
  /** How it is known: the sheet, the product it is derived by, or the measurement. */
  readonly origin: string;
}

/**
 * Bytes a clock that the L1 cache or shared memory of an SM gives: 32 banks of 4 bytes (CUDA C++ Programming Guide,
 * "Shared Memory"); half of it on Turing (GA102 whitepaper, "Larger and Faster L1 Cache and Shared Memory").
 */
const bytesPerClock = (computeCapability: ComputeCapability): number =>
  computeCapability === '7.5' ? 64 : 128;

/** The vendor's figure first, then what was measured; none where nothing is known. */
export function bandwidthsOf(device: Device): Readonly<Record<RoofedLevel, readonly Bandwidth[]>> {
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
      origin: `${bytes} B a clock x ${multiprocessors} SMs x ${boostClockMHz} MHz`,
    },
  ];
}
