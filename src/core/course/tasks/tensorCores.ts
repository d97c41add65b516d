/** Tasks on tensor cores and on the ring buffer of wgmma. */
import { atLeast, exactly } from '../goals';
import type { KernelTask, SpecTask, Task } from '../task';
import { expressions, mistake, specOf, templateOf, upTo } from './parts';

const BIG = { m: 4096, n: 4096, k: 4096 };

const fragments = (): KernelTask => ({
  kind: 'kernel',
  id: '25-fragment-address',
  title: 'Address the rows of a fragment',
  source: {
    spec: specOf(
      {
        algorithm: 'mma',
        block: { m: 32, n: 32, k: 16 },
        warp: { m: 16, n: 16 },
        stages: 2,
        fragments: 1,
        swizzle: 'none',
        raster: { order: 'row', group: 1 },
      },
      { m: 32, n: 32, k: 64 },
      'f16',
    ),
  },
  statement: [
    'ldmatrix loads four 8 x 8 matrices. Lane 8 j + i supplies the address of row i of matrix j.',
    'For A, matrices 0 and 1 are the upper and lower 8 rows of the left half; 2 and 3 of the right half.',
    'Write the row of As, and the first k, that this lane supplies.',
  ],
  hints: [
    'lane / 8 is the number of the matrix, and lane % 8 the row within it.',
    'Matrices with an odd number are 8 rows below. Matrices from 2 on are 8 columns to the right.',
  ],
  cuda: {
    cuts: [
      {
        within: 'laneRow = warpRow + lane / 8 % 2 * 8 + lane % 8',
        removes: 'warpRow + lane / 8 % 2 * 8 + lane % 8',
      },
      { within: 'laneKA = lane / 16 * 8', removes: 'lane / 16 * 8' },
    ],
    holes: expressions({ lane: upTo(32), warpRow: [0, 16], warpCol: [0, 16] }, 'row', 'first k'),
  },
  solution: ['warpRow + lane / 8 % 2 * 8 + lane % 8', 'lane / 16 * 8'],
  mistakes: [
    mistake('the term with warpRow is missing', 'lane / 8 % 2 * 8 + lane % 8', 'lane / 16 * 8'),
    mistake('the term with lane is missing', 'warpRow', 'lane / 16 * 8'),
    mistake('The row is incorrect', 'warpRow + lane % 8', 'lane / 16 * 8'),
    mistake('it does not contain warpRow', 'lane / 16 * 8 + lane % 8', 'lane / 8 % 2 * 8'),
    mistake('The row is incorrect', 'warpRow + lane / 8 * 8 + lane % 8', 'lane / 16 * 8'),
    mistake(
      'The first k is incorrect',
      'warpRow + lane / 8 % 2 * 8 + lane % 8',
      'lane / 8 % 2 * 8',
    ),
    mistake('The first k is incorrect', 'warpRow + lane / 8 % 2 * 8 + lane % 8', 'lane / 16'),
    mistake('"warpCol.x" is not available', 'warpCol.x', 'lane / 16 * 8'),
  ],
});

const fmas = (): SpecTask => ({
  kind: 'spec',
  id: '26-warps-of-mma',
  title: 'Choose the warp tile of the tensor cores',
  template: templateOf(
    {
      algorithm: 'mma',
      block: { m: 128, n: 128, k: 32 },
      warp: { m: '___', n: '___' },
      stages: 2,
      fragments: 1,
      swizzle: 'xor',
      raster: { order: 'row', group: 1 },
    },
    BIG,
    'f16',
  ),
  simulateAt: { m: 128, n: 128, k: 64 },
  statement: [
    'An MMA instruction multiplies a 16 x 16 fragment of A by a 16 x 8 fragment of B.',
    'A warp of m x n loads m / 16 fragments of A and n / 8 of B.',
    'It issues m / 16 * n / 8 MMAs.',
    'Choose the warp tile for exactly 4 warps per block, with the fewest fragment loads.',
  ],
  hints: [
    'A 128 x 128 tile with 4 warps gives each warp 4096 elements of C.',
    'Compare 32 x 128, 64 x 64 and 128 x 32.',
  ],
  solution: ['64', '64'],
  goals: ({ plan }) => {
    const { m = 0, n = 0 } = plan.spec.schedule.warp ?? {};
    return [
      exactly('Warps per block', plan.threads / 32, 4),
      atLeast('MMAs per fragment load', (m * n) / (16 * 8) / (m / 16 + n / 8), 2.6, {
        why: 'Another shape with the same area loads fewer fragments.',
      }),
    ];
  },
  mistakes: [
    mistake('Warps per block: 16', '32', '32'),
    mistake('registers per thread', '128', '128'),
    mistake('Warps per block: 8', '32', '64'),
    mistake('MMAs per fragment load', '32', '128'),
    mistake('not legal', '48', '64'),
    mistake('not legal', '8', '64'),
    mistake('warp.n', '64', '0'),
  ],
});

const RING = {
  spec: specOf(
    {
      algorithm: 'wgmma',
      block: { m: 64, n: 64, k: 64 },
      kernelSchedule: 'cooperative',
      consumers: 1,
      stages: 4,
      cluster: { m: 1, n: 1 },
    },
    { m: 128, n: 128, k: 256 },
    'f16',
  ),
};

const phases = (): KernelTask => ({
  kind: 'kernel',
  id: '27-phase',
  title: 'Wait for the right phase',
  source: RING,
  statement: [
    'phase is 0 in the first pass over the ring, 1 in the second pass, then 0 again.',
    'A wait for parity p passes if the current phase of the mbarrier has the other parity.',
    'Write the parity for which the producer waits on empty, and the parity of the consumer on full.',
  ],
  hints: [
    'In the first pass all buffers are free, so the wait of the producer must not block.',
    'A new mbarrier is in phase 0. A wait for parity 1 passes, as if a phase of parity 1 had completed.',
  ],
  cuda: {
    cuts: [
      { within: 'waitBarrier(empty + stage * BARRIER_BYTES, phase ^ 1)', removes: 'phase ^ 1' },
      { within: 'waitBarrier(full + stage * BARRIER_BYTES, phase)', removes: 'phase' },
    ],
    holes: expressions(
      { phase: [0, 1], stage: upTo(4), STAGES: [4] },
      'parity of the producer',
      'parity of the consumer',
    ),
  },
  solution: ['phase ^ 1', 'phase'],
  mistakes: [
    mistake('this is the parity of the consumer', 'phase', 'phase'),
    mistake('this is the parity of the producer', 'phase ^ 1', 'phase ^ 1'),
    mistake('it must change with phase', '1', 'phase'),
    mistake('it must change with phase', 'phase ^ 1', '0'),
    mistake('it is 1 too large', 'phase ^ 1', 'phase + 1'),
    mistake('it uses stage instead of phase', 'stage ^ 1', 'phase'),
  ],
});

const products = (): KernelTask => ({
  kind: 'kernel',
  id: '28-wgmma-wait',
  title: 'Release a buffer after its products',
  source: RING,
  statement: [
    'wgmma is asynchronous: the tensor cores read shared memory after the instruction was issued.',
    'wgmmaWait<n>() waits until at most the n newest groups are in flight.',
    'Write n, so that the buffer of the previous k-iteration can be released, and one group continues.',
  ],
  hints: [
    'The group of this k-iteration was committed last. The previous group must be complete.',
    'One group may stay in flight.',
  ],
  cuda: {
    cuts: [{ within: 'wgmmaWait<1>();', removes: '1' }],
    holes: [
      {
        kind: 'text',
        known: [
          {
            text: '0',
            why: 'Waiting for all groups is correct, but the tensor cores are then idle until the next k-iteration is issued.',
          },
          {
            text: '2',
            why: 'With 2 groups in flight, the tensor cores may still read the buffer that is released (race).',
          },
          {
            text: 'STAGES',
            why: 'STAGES groups may then be in flight, so the tensor cores may still read the released buffer (race).',
          },
          {
            text: 'iteration',
            why: 'The argument is a template parameter: it must be a constant of the compiler.',
          },
          { text: '', why: 'The number of groups is missing.' },
        ],
      },
    ],
  },
  solution: ['1'],
  mistakes: [
    mistake('tensor cores are then idle', '0'),
    mistake('may still read the buffer', '2'),
    mistake('may still read the released buffer', 'STAGES'),
    mistake('must be a constant', 'iteration'),
    mistake('is missing', ''),
  ],
});

const ringStages = (): SpecTask => ({
  kind: 'spec',
  id: '29-ring-stages',
  title: 'Fill the shared memory with stages',
  template: templateOf(
    {
      algorithm: 'wgmma',
      block: { m: 128, n: 128, k: 64 },
      kernelSchedule: 'cooperative',
      consumers: 1,
      stages: '___',
      cluster: { m: 1, n: 1 },
      raster: { order: 'row', group: 1 },
    },
    BIG,
    'f16',
  ),
  simulateAt: { m: 128, n: 128, k: 128 },
  statement: [
    'The producer can load ahead by as many k-iterations as the ring has free buffers.',
    'Choose the largest legal number of stages for this tile.',
  ],
  hints: [
    'A stage has 16 KiB for A and 16 KiB for B. A block has at most 227 KiB.',
    'Part of the shared memory stages the tile of C for the epilogue.',
  ],
  solution: ['6'],
  goals: ({ plan }) => [
    atLeast('Stages', plan.spec.schedule.stages ?? 0, 6, { goal: 'the largest number that fits' }),
  ],
  mistakes: [
    mistake('Stages: 2', '2'),
    mistake('Stages: 4', '4'),
    mistake('Stages: 5', '5'),
    mistake('stages', '8'),
    mistake('stages', '12'),
    mistake('stages', '1'),
    mistake('stages', '"6"'),
  ],
});

export const tensorTasks = (): readonly Task[] => [
  fragments(),
  fmas(),
  phases(),
  products(),
  ringStages(),
];
