/** L2 read bandwidths of GPUs, measured or derived from vendor figures. */
import type { DeviceRow } from './deviceSpec';

const A100_WHITEPAPER = 'NVIDIA A100 whitepaper, L2 read bandwidth';
const GPU_BENCHES =
  'https://github.com/te42kyfo/gpu-benches, gpu-l2-cache, reading half of the L2 cache';

export const L2_READ = {
  v100: {
    GBps: 3133,
    from: 'derived',
    source: `2,048 B/clock x 1,530 MHz, ${A100_WHITEPAPER}`,
  },
  a100: {
    GBps: 7219,
    from: 'derived',
    source: `5,120 B/clock x 1,410 MHz, ${A100_WHITEPAPER}`,
  },
  h100Pcie: { GBps: 6863, from: 'measured', source: `an H100 PCIe, ${GPU_BENCHES}` },
  /** The H100 SXM uses the same chip as the measured H200. */
  hopperSxm: { GBps: 9675, from: 'measured', source: `an H200, ${GPU_BENCHES}` },
} as const satisfies Readonly<Record<string, DeviceRow['l2Read']>>;
