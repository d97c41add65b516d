/**
 * NVIDIA GeForce devices. Their tensor cores run f16 and fp8 with f32 accumulation at half the rate
 * of f16 accumulation.
 */
import type { DeviceRow } from './deviceSpec';

const TURING =
  'Turing whitepaper WP-09183, https://images.nvidia.com/aem-dam/en-zz/Solutions/design-visualization/technologies/turing-architecture/NVIDIA-Turing-Architecture-Whitepaper.pdf';
const GA102 =
  'GA102 whitepaper V2, https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf';
const ADA =
  'Ada whitepaper, https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf';
const BLACKWELL =
  'RTX Blackwell whitepaper, https://images.nvidia.com/aem-dam/Solutions/geforce/blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf';
const SLOW_F64 = 'f64 at 1/64 the rate of f32';

export const NVIDIA_GEFORCE = {
  'rtx-2080-ti': {
    name: 'NVIDIA GeForce RTX 2080 Ti',
    vendor: 'nvidia',
    family: 'Turing',
    computeCapability: '7.5',
    multiprocessors: 68,
    boostClockMHz: 1545,
    memoryBandwidthGBps: 616,
    memoryGiB: 11,
    l2CacheMiB: 5.5,
    powerWatts: 250,
    peakTflops: {
      f64: 0.42,
      f32: 13.4,
      f16: 26.9,
      'f16-tensor': 53.8,
      's8-tensor': 215.2,
      s32: 13.4,
    },
    source: `${TURING} (reference card, not the Founders Edition; f64 at 1/32 the rate of f32)`,
  },
  'rtx-3070-laptop': {
    name: 'NVIDIA GeForce RTX 3070 Laptop',
    vendor: 'nvidia',
    family: 'Ampere',
    computeCapability: '8.6',
    multiprocessors: 40,
    boostClockMHz: 1620,
    memoryBandwidthGBps: 384,
    memoryGiB: 8,
    l2CacheMiB: 4,
    powerWatts: 125,
    peakTflops: { f32: 16 },
    source:
      'NVIDIA GeForce laptop comparison (5,120 cores, up to 1,620 MHz and 125 W), https://www.nvidia.com/en-us/geforce/laptops/compare/30-series/ (f32 peak and bandwidth of a laptop with 12 Gbps memory)',
  },
  'rtx-3080': {
    name: 'NVIDIA GeForce RTX 3080',
    vendor: 'nvidia',
    family: 'Ampere',
    computeCapability: '8.6',
    multiprocessors: 68,
    boostClockMHz: 1710,
    memoryBandwidthGBps: 760,
    memoryGiB: 10,
    l2CacheMiB: 5,
    powerWatts: 320,
    peakTflops: {
      f64: 0.465,
      f32: 29.8,
      'tf32-tensor': 29.8,
      f16: 29.8,
      'f16-tensor': 59.5,
      bf16: 29.8,
      'bf16-tensor': 59.5,
      's8-tensor': 238,
      s32: 14.9,
    },
    source: `${GA102} (10 GB card; ${SLOW_F64})`,
  },
  'rtx-3090': {
    name: 'NVIDIA GeForce RTX 3090',
    vendor: 'nvidia',
    family: 'Ampere',
    computeCapability: '8.6',
    multiprocessors: 82,
    boostClockMHz: 1695,
    memoryBandwidthGBps: 936,
    memoryGiB: 24,
    l2CacheMiB: 6,
    powerWatts: 350,
    peakTflops: {
      f64: 0.556,
      f32: 35.6,
      'tf32-tensor': 35.6,
      f16: 35.6,
      'f16-tensor': 71,
      bf16: 35.6,
      'bf16-tensor': 71,
      's8-tensor': 284,
      s32: 17.8,
    },
    source: `${GA102} (${SLOW_F64})`,
  },
  'rtx-4090': {
    name: 'NVIDIA GeForce RTX 4090',
    vendor: 'nvidia',
    family: 'Ada Lovelace',
    computeCapability: '8.9',
    multiprocessors: 128,
    boostClockMHz: 2520,
    memoryBandwidthGBps: 1008,
    memoryGiB: 24,
    l2CacheMiB: 72,
    powerWatts: 450,
    peakTflops: {
      f64: 1.29,
      f32: 82,
      'tf32-tensor': 82.6,
      f16: 82.6,
      'f16-tensor': 165.2,
      bf16: 82.6,
      'bf16-tensor': 165.2,
      'e4m3-tensor': 330.3,
      's8-tensor': 660.6,
      s32: 41.3,
    },
    source: `${ADA} (${SLOW_F64}); f32 peak rounded down from 82.6`,
  },
  'rtx-5090': {
    name: 'NVIDIA GeForce RTX 5090',
    vendor: 'nvidia',
    family: 'Blackwell',
    computeCapability: '12.0',
    multiprocessors: 170,
    boostClockMHz: 2407,
    memoryBandwidthGBps: 1792,
    memoryGiB: 32,
    l2CacheMiB: 96,
    powerWatts: 575,
    peakTflops: {
      f64: 1.64,
      f32: 104.8,
      'tf32-tensor': 104.8,
      f16: 104.8,
      'f16-tensor': 209.5,
      bf16: 104.8,
      'bf16-tensor': 209.5,
      'e4m3-tensor': 419,
      's8-tensor': 838,
      s32: 104.8,
    },
    source: `${BLACKWELL} (${SLOW_F64})`,
  },
} as const satisfies Readonly<Record<string, DeviceRow>>;
