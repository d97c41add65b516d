/** AMD, Apple and Intel GPUs. They have no occupancy model. */
import type { DeviceRow } from './deviceSpec';

export const OTHER_VENDORS = {
  'rx-7900-xtx': {
    name: 'AMD Radeon RX 7900 XTX',
    vendor: 'amd',
    family: 'RDNA 3',
    multiprocessors: 96,
    boostClockMHz: 2500,
    memoryBandwidthGBps: 960,
    memoryGiB: 24,
    l2CacheMiB: 6,
    powerWatts: 355,
    peakTflops: { f32: 61.4, f16: 122.8 },
    source:
      'AMD product page (f32 with dual issue), https://www.amd.com/en/products/graphics/desktops/radeon/7000-series/amd-radeon-rx-7900xtx.html',
  },
  'arc-b580': {
    name: 'Intel Arc B580',
    vendor: 'intel',
    family: 'Xe2',
    multiprocessors: 20,
    boostClockMHz: 2670,
    memoryBandwidthGBps: 456,
    memoryGiB: 12,
    l2CacheMiB: 18,
    powerWatts: 190,
    peakTflops: { f32: 13.67, 's8-tensor': 233 },
    source:
      'Intel product page, https://www.intel.com/content/www/us/en/products/sku/241598/intel-arc-b580-graphics/specifications.html; f32 derived: 20 Xe cores x 128 lanes x 2 x 2,670 MHz',
  },
  'apple-m2': {
    name: 'Apple M2',
    vendor: 'apple',
    family: 'Apple',
    multiprocessors: 10,
    memoryBandwidthGBps: 100,
    peakTflops: { f32: 3.6 },
    source:
      'Apple newsroom, 10-core GPU (no clock published), https://www.apple.com/newsroom/2022/06/apple-unveils-m2-with-breakthrough-performance-and-capabilities/',
  },
  'apple-m4': {
    name: 'Apple M4',
    vendor: 'apple',
    family: 'Apple',
    multiprocessors: 10,
    memoryBandwidthGBps: 120,
    peakTflops: {},
    source:
      'Apple newsroom, 10-core GPU (Apple publishes no clock rate or peak), https://www.apple.com/newsroom/2024/05/apple-introduces-m4-chip/',
  },
} as const satisfies Readonly<Record<string, DeviceRow>>;
