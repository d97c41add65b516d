/** Chapters on waves and split-K, and on the choice of a schedule. */
import { DEFAULT_DEVICE, deviceOf } from '../../hardware/devices';
import { grouped, short } from '../../text/numbers';
import { ratiosOf } from '../../roofline/ratios';
import type { GemmSpec } from '../../spec/schema';
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
const WAVES = { m: 2048, n: 5120, k: 4096 };
const SMS = deviceOf(DEFAULT_DEVICE).multiprocessors;

const waves = (): Chapter => ({
  id: 'waves',
  title: 'Waves and split-K',
  idea: 'A kernel is fast only if all SMs have work until the end.',
  terms: [
    ['wave', 'the blocks that are resident on all SMs at the same time'],
    ['wave quantization', 'the loss because the last wave is not full'],
    ['tile quantization', 'the loss because the last tiles are partly outside of C'],
    ['load balance', 'the mean number of blocks per SM, divided by the largest number'],
    ['split-K', 'cutting the loop over k into slices that different blocks compute'],
    ['reduction', 'the addition of the partial results of the slices'],
  ],
  why: [
    'A grid has as many blocks as C has tiles.',
    `If ${SMS} SMs hold one block each and the grid has 160, the second wave has only ${160 - SMS} blocks.`,
    'Most SMs are then idle, but the time of the second wave is the time of a full wave.',
    '',
    'A small C with a long K has few tiles, so that many SMs get no block.',
    'Split-K gives the slices of one tile to several blocks, which run in parallel.',
    'The slices add to the same element, which chapter 3 excluded within a kernel.',
    'Either each slice writes partial results and a second kernel adds them, or the slices use atomic additions.',
    'An atomic addition reads, adds and writes an element, and no other thread can intervene.',
    'The order of atomic additions can differ, and so can the rounding errors of two runs.',
    'The partial results are additional traffic: each slice writes a whole tile, and it is read again.',
    'The reduction costs time, so split-K pays only if SMs are idle without it.',
  ],
  before: { spec: specOf(MMA, SKINNY, 'f16') },
  after: { spec: specOf({ ...MMA, splitK: 8 }, SKINNY, 'f16') },
  excerpt: ['blockIdx.z selects', 'const int kEnd'],
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
      `C is ${WAVES.m} x ${WAVES.n}, and the tiles are 128 x 128. An H200 has ${SMS} SMs, and ${analysis.occupancy?.heldPerSm ?? 1} blocks fit on each. How many waves does the grid have?`,
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
  step: { before: MMA, after: { ...MMA, splitK: 8 }, dtype: 'f16', shape: SKINNY },
});

const NAIVE = specOf(
  { algorithm: 'naive', block: { m: 16, n: 16 } },
  { m: 1024, n: 1024, k: 1024 },
);

const INTENSITY = 5;

/** Ridge points of the default device with and without tensor cores. */
function ridgeSentences(): readonly string[] {
  const { ceilings } = specFacts(NAIVE).analysis.roofline;
  const valueOf = (kind: 'compute' | 'memory'): number =>
    ceilings.find(ceiling => ceiling.kind === kind && ceiling.from === 'spec')?.value ?? 0;
  const [peak, bandwidth] = [valueOf('compute'), valueOf('memory')];
  const ridgeOf = (spec: GemmSpec): string =>
    short(specFacts(spec).analysis.roofline.deviceRatio.value);
  return [
    `An H200 computes ${short(peak)} TFLOP/s in f32, and its memory delivers ${grouped(bandwidth)} GB/s.`,
    `A kernel with ${INTENSITY} FLOP/B therefore reaches at most ${INTENSITY} x ${grouped(bandwidth)} GB/s = ${short((INTENSITY * bandwidth) / 1000)} TFLOP/s.`,
    `The ridge point of an H200 is ${ridgeOf(NAIVE)} FLOP/B in f32.`,
    `With tensor cores in f16, it is ${ridgeOf(specOf(MMA, SKINNY, 'f16'))} FLOP/B.`,
  ];
}

const choose = (): Chapter => ({
  id: 'choose',
  title: 'Choosing a schedule',
  idea: 'The roofline shows whether memory or arithmetic limits a kernel, and tuning measures what the model cannot predict.',
  terms: [
    ['FLOP', 'a floating-point operation; an FMA counts as 2'],
    ['arithmetic intensity', 'the FLOP of a kernel, divided by the bytes that it moves'],
    [
      'kernel ratio',
      'the intensity if each block loads its tiles of A and B from memory, and C is read and written once',
    ],
    ['peak rate', 'the FLOP per second of a device whose arithmetic units never wait'],
    ['bandwidth', 'the bytes per second that a memory delivers'],
    ['L1 and L2', 'caches of global memory: L1 is part of an SM, and all SMs share L2'],
    ['device ratio', 'the peak rate, divided by the bandwidth of the global memory'],
    [
      'ridge point',
      'the intensity at which memory and arithmetic take the same time: the device ratio',
    ],
    [
      'roofline',
      'the highest rate at each intensity: bandwidth times intensity, but at most the peak rate',
    ],
    ['memory bound', 'below the ridge point: the bandwidth limits the rate'],
    ['compute bound', 'above the ridge point: the arithmetic units limit the rate'],
    [
      'raster order',
      'the order in which blocks take the tiles of C; neighbors in one row or column share tiles in L2',
    ],
    [
      'schedule',
      'all choices of this course together: algorithm, tiles, stages, layout of shared memory',
    ],
  ],
  why: [
    'A GPU can compute far more FLOP per second than it can load bytes.',
    ...ridgeSentences(),
    'A kernel whose kernel ratio is below the ridge point waits for memory, unless a cache serves its loads.',
    'Larger tiles raise the kernel ratio, because each loaded value is used more often.',
    '',
    'Above the ridge point, other losses decide: latency, barriers, bank conflicts, waves, the epilogue.',
    'What limits this kernel lists these losses with their size.',
    '',
    'The best schedule depends on the shape and on the device, so measure the best candidates: that is tuning.',
    'Verify each kernel first. Run it a few times before the measurement, so that clocks and caches are steady.',
    'Compare medians of many runs, because single runs vary.',
  ],
  before: {
    spec: NAIVE,
  },
  after: {
    spec: specOf(
      { algorithm: 'thread-tile-2d', block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } },
      { m: 1024, n: 1024, k: 1024 },
    ),
  },
  excerpt: ['// Per k:', 'acc[m][n] +='],
  look: [
    'Roofline: the points of both kernels, and the ridge point.',
    'What limits this kernel: the losses, the largest first, each with an edit.',
    'Tune: measures the best candidates on this machine, and keeps the fastest.',
  ],
  prediction: () => {
    const spec = {
      ...NAIVE,
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
      `An RTX 4090 has ${short(device)} FLOP per byte. Without caches, the naive kernel loads two f32 values per FMA. What limits this kernel?`,
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
