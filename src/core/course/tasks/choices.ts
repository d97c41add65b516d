/** Tasks on split-K and on the choice of tiles. */
import { atLeast, atMost } from '../goals';
import { ratiosOf } from '../../roofline/ratios';
import { short } from '../../text/numbers';
import { specFacts, type SpecFacts } from '../specFacts';
import type { SpecTask, Task } from '../task';
import { mistake, specOf, templateOf } from './parts';

const BIG = { m: 4096, n: 4096, k: 4096 };

const balanceOf = ({ analysis }: SpecFacts): number => 100 * (analysis.waves?.balance.value ?? 0);

const splitK = (): SpecTask => ({
  kind: 'spec',
  id: '30-split-k',
  title: 'Give every SM work',
  template: templateOf(
    {
      algorithm: 'mma',
      block: { m: 128, n: 128, k: 32 },
      warp: { m: 64, n: 64 },
      stages: 3,
      fragments: 1,
      swizzle: 'xor',
      raster: { order: 'row', group: 1 },
      splitK: '___',
    },
    { m: 512, n: 512, k: 16384 },
    'f16',
  ),
  simulateAt: { m: 128, n: 128, k: 512 },
  statement: [
    'C has 4 x 4 tiles of 128 x 128, but an H200 has 132 SMs.',
    'Split-K cuts the loop over k into slices, and each slice of a tile is one thread block.',
    'Choose schedule.splitK, at most 16 slices, with a load balance of at least 95 %.',
  ],
  hints: [
    'The load balance is the mean number of blocks per SM, divided by the largest number.',
    '16 tiles x 8 slices = 128 blocks for 132 SMs.',
  ],
  solution: ['8'],
  goals: facts => [
    atLeast('Load balance in percent', balanceOf(facts), 95, {
      why: 'Some SMs have no block, or more blocks than others.',
    }),
    atMost('Slices', facts.plan.spec.schedule.splitK ?? 1, 16, {
      why: 'Each slice adds partial results that must be reduced.',
    }),
  ],
  mistakes: [
    mistake('Load balance in percent', '1'),
    mistake('Load balance in percent', '2'),
    mistake('Load balance in percent', '4'),
    mistake('Load balance in percent', '9'),
    mistake('Load balance in percent', '7'),
    mistake('not legal', '33'),
    mistake('splitK', '0'),
  ],
});

const DEVICE = 'rtx-4090';

const deviceRatio = (): string => {
  const spec = { ...specOf({ algorithm: 'naive', block: { m: 16, n: 16 } }, BIG), device: DEVICE };
  return short(specFacts(spec).analysis.roofline.deviceRatio.value);
};

const ratio = (): SpecTask => ({
  kind: 'spec',
  id: '31-kernel-ratio',
  title: 'Raise the kernel ratio to 30 FLOP/B',
  template: {
    ...templateOf(
      {
        algorithm: 'thread-tile-2d',
        block: { m: '___', n: '___', k: 8 },
        thread: { m: 8, n: 8 },
      },
      BIG,
    ),
    device: DEVICE,
  },
  simulateAt: { m: 256, n: 256, k: 16 },
  statement: [
    `The device ratio of an RTX 4090 is ${deviceRatio()} FLOP/B, which is the ridge point.`,
    'The kernel ratio counts the bytes that the thread blocks load: larger tiles load fewer.',
    'The L2 cache serves some of these bytes, so a lower kernel ratio can be enough.',
    'Choose a tile with a kernel ratio of at least 30 FLOP/B and at most 512 threads per block.',
  ],
  hints: [
    'A tile of m x n loads (m + n) elements per k, and computes m * n FMAs with them.',
    'A tile of 128 x 128 has 2 * 128 * 128 FLOP per 256 elements of 4 bytes.',
  ],
  solution: ['128', '128'],
  goals: ({ plan, analysis }) => [
    atLeast(
      'Kernel ratio in FLOP/B',
      ratiosOf(plan, analysis.roofline).find(({ name }) => name === 'kernel ratio')?.value.value ??
        0,
      30,
      { why: 'Larger and square tiles load fewer bytes per FLOP.' },
    ),
    atMost('Threads per block', plan.threads, 512),
  ],
  mistakes: [
    mistake('Kernel ratio in FLOP/B', '32', '32'),
    mistake('Kernel ratio in FLOP/B', '64', '64'),
    mistake('Kernel ratio in FLOP/B', '16', '256'),
    mistake('Kernel ratio in FLOP/B', '64', '128'),
    mistake('not legal', '512', '512'),
    mistake('not legal', '100', '100'),
    mistake('block.m', 'null', '128'),
  ],
});

export const choiceTasks = (): readonly Task[] => [splitK(), ratio()];
