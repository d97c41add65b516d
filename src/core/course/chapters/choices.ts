/** Chapters on waves and split-K, and on the choice of a schedule. */
import { short } from '../../text/numbers';
import { ratiosOf } from '../../roofline/ratios';
import type { Chapter } from '../chapter';
import { specFacts } from '../specFacts';
import { question } from '../prediction';
import { specOf } from '../tasks/parts';

const MMA = {
  algorithm: 'mma',
  block: { m: 128, n: 128, k: 32 },
  warp: { m: 64, n: 64 },
  stages: 3,
  fragments: 1,
  swizzle: 'xor',
  raster: { order: 'row', group: 1 },
} as const;
const SKINNY = { m: 512, n: 512, k: 16384 };
const WAVES = { m: 2048, n: 2560, k: 4096 };

const waves = (): Chapter => ({
  id: 'waves',
  title: 'Waves, split-K and the epilogue',
  idea: 'A kernel is fast only if all SMs have work until the end.',
  terms: [
    ['wave', 'the blocks that are resident on all SMs at the same time'],
    ['wave quantization', 'the loss because the last wave is not full'],
    ['load balance', 'the mean number of blocks per SM, divided by the largest number'],
    ['split-K', 'cutting the loop over k into slices that different blocks compute'],
    ['reduction', 'the addition of the partial results of the slices'],
  ],
  why: [
    'A grid has as many blocks as C has tiles.',
    'If the SMs hold 264 blocks at a time and the grid has 320, the second wave has only 56 blocks.',
    'Most SMs are then idle, but the time of the second wave is the time of a full wave.',
    'A small C with a long K has few tiles, so that many SMs get no block.',
    'Split-K gives the slices of one tile to several blocks, which run in parallel.',
    'The slices add to the same element, which chapter 3 excluded within a kernel.',
    'So each slice writes partial results, and a second kernel or atomic additions reduce them.',
    'The reduction costs time, so split-K pays only if SMs are idle without it.',
  ],
  before: { spec: specOf(MMA, SKINNY, 'f16') },
  after: { spec: specOf({ ...MMA, splitK: 8 }, SKINNY, 'f16') },
  excerpt: ['const int blockRow', 'const int tiles'],
  look: [
    'Occupancy: waves, the blocks of the last wave, and the load balance.',
    'Size sweep: the predicted rate drops where a new wave begins.',
  ],
  prediction: () => {
    const { analysis, plan } = specFacts(specOf(MMA, WAVES, 'f16'));
    const counted = analysis.waves;
    if (counted === null) throw new Error('The waves are unknown.');
    const { tiles, blocksPerWave, waves: count } = counted;
    return question(
      `C is ${WAVES.m} x ${WAVES.n}, and the tiles are 128 x 128. An H200 has 132 SMs, and ${analysis.occupancy?.heldPerSm ?? 1} blocks fit on each. How many waves does the grid have?`,
      count,
      [1, 2, 3, 4].filter(value => value !== count),
      [
        `C has ${Math.ceil(WAVES.m / plan.tile.m)} x ${Math.ceil(WAVES.n / plan.tile.n)} = ${tiles} tiles.`,
        `A wave has ${blocksPerWave} blocks.`,
        `${tiles} / ${blocksPerWave}, rounded up, is ${count}. The last wave has ${counted.tail.blocks.value} blocks.`,
      ],
    );
  },
  tasks: ['30-split-k'],
  checkpoint: 'You can compute the waves of a grid, and decide whether split-K can help.',
  step: {
    before: MMA,
    after: {
      ...MMA,
      block: { m: 256, n: 128, k: 64 },
      fragments: 2,
    },
    dtype: 'f16',
  },
});

const choose = (): Chapter => ({
  id: 'choose',
  title: 'Choosing a schedule',
  idea: 'The roofline shows whether memory or arithmetic limits a kernel, and tuning measures what the model cannot predict.',
  terms: [
    ['arithmetic intensity', 'the FLOP of a kernel, divided by the bytes that it moves'],
    ['ridge point', 'the intensity at which memory and arithmetic take the same time'],
    [
      'roofline',
      'the highest rate at each intensity: bandwidth times intensity, but at most the peak rate',
    ],
    ['memory bound', 'below the ridge point: the bandwidth limits the rate'],
    ['compute bound', 'above the ridge point: the arithmetic units limit the rate'],
    [
      'schedule',
      'all choices of this course together: algorithm, tiles, stages, layout of shared memory',
    ],
  ],
  why: [
    'A GPU can compute far more FLOP per second than it can load bytes.',
    'The quotient of both is the device ratio, and it is the ridge point of the roofline.',
    'A kernel whose ratio is lower waits for memory, no matter how good its arithmetic is.',
    'Larger tiles raise the ratio of the kernel, because each loaded value is used more often.',
    'Above the ridge point, other losses decide: latency, barriers, bank conflicts, waves, the epilogue.',
    'What limits this kernel lists these losses with their size.',
    'The best schedule depends on the shape and on the device, so measure the best candidates: that is tuning.',
  ],
  before: {
    spec: specOf({ algorithm: 'naive', block: { m: 16, n: 16 } }, { m: 1024, n: 1024, k: 1024 }),
  },
  after: {
    spec: specOf(
      { algorithm: 'thread-tile-2d', block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } },
      { m: 1024, n: 1024, k: 1024 },
    ),
  },
  excerpt: ['const int blockRow', 'Epilogue'],
  look: [
    'Roofline: the points of both kernels, and the ridge point.',
    'What limits this kernel: the losses, the largest first, each with an edit.',
    'Tune: measures the best candidates on this machine, and keeps the fastest.',
  ],
  prediction: () => {
    const spec = {
      ...specOf({ algorithm: 'naive', block: { m: 16, n: 16 } }, { m: 1024, n: 1024, k: 1024 }),
      device: 'rtx-4090',
    };
    const { plan, analysis } = specFacts(spec);
    const ratios = ratiosOf(plan, analysis.roofline);
    const value = (name: string): number =>
      ratios.find(ratio => ratio.name === name)?.value.value ?? 0;
    const [kernel, device] = [value('kernel ratio'), value('device ratio')];
    const says = {
      memory: 'memory, because its ratio is below the device ratio',
      compute: 'arithmetic, because its ratio is above the device ratio',
    };
    const key = kernel < device ? says.memory : says.compute;
    return question(
      `An RTX 4090 has ${short(device)} FLOP per byte. Without caches, the naive kernel loads two f32 values per FMA. What limits it?`,
      key,
      [
        kernel < device ? says.compute : says.memory,
        'the number of threads, because each thread computes one element',
        'nothing: the kernel reaches the peak rate',
      ],
      [
        'An FMA counts as 2 FLOP, and two f32 values have 8 bytes.',
        `The kernel ratio is about 2 / 8 = ${kernel.toFixed(2)} FLOP/B.`,
        `The device ratio is ${short(device)} FLOP/B, so memory limits the kernel.`,
        'With caches, L1 serves many of these loads, and the limit is the bandwidth of L1.',
      ],
    );
  },
  tasks: ['31-kernel-ratio'],
  checkpoint:
    'You can place a kernel on the roofline, and choose the next change from its largest loss.',
});

export const choiceChapters = (): readonly Chapter[] => [waves(), choose()];
