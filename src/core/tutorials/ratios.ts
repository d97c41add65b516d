/** Arithmetic intensities of device, problem and kernels ("Gemm" on an RTX 4090). */
import { t } from '@vscode/l10n';
import { deviceOf, type DeviceId } from '../hardware/devices';
import { uncachedBytes } from '../plan/traffic';
import { rooflineOfLevels } from '../roofline/levelRoofline';
import { verdictOf } from '../report/verdict';
import { flops, matrixElements } from '../spec/resolved';
import type { Schedule } from '../spec/schema';
import { DTYPE_BYTES } from '../types/dtype';
import { subjectOf, wrongElements, type Subject } from './subject';
import {
  cube,
  type Row,
  type StatedRate,
  type Tutorial,
  type TutorialKernel,
  type Value,
} from './tutorial';

const GPU: DeviceId = 'rtx-4090';
const SIZES = [1024, 2048, 3072, 4096] as const;

const NAIVE: Schedule = { algorithm: 'coalesced', variant: 'swap', block: { m: 32, n: 32 } };
const BLOCK_TILES: Schedule = { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 } };
const THREAD_TILES: Schedule = {
  algorithm: 'thread-tile-2d',
  block: { m: 64, n: 64, k: 8 },
  thread: { m: 4, n: 4 },
};

/** Rates of a kernel and of PyTorch in TFLOP/s, in the order of `SIZES`. */
const stated = (
  kernel: readonly number[],
  library: readonly number[],
): Readonly<Record<number, StatedRate>> =>
  Object.fromEntries(
    SIZES.map((size, index) => [
      size,
      { gflops: 1000 * (kernel[index] ?? NaN), libraryGflops: 1000 * (library[index] ?? NaN) },
    ]),
  );

const SMALL = { block: { m: 16, n: 16, k: 16 } } as const;

const kernels = (): readonly TutorialKernel[] => [
  {
    row: '002.7',
    id: 'naive',
    text: t('00 naive: one thread per element of C, 32 x 32 blocks'),
    schedule: NAIVE,
    small: { ...NAIVE, block: { m: 16, n: 16 } },
    verified: { m: 96, n: 64, k: 64 },
    rates: {
      row: '002.14',
      problem: cube,
      theirs: stated([4.69, 4.78, 4.96, 4.9], [41.72, 54.71, 54.33, 56.42]),
    },
  },
  {
    row: '002.10',
    id: 'blockTiles',
    text: t('01 block tiling: tiles of 32 x 32 in shared memory'),
    schedule: BLOCK_TILES,
    small: { ...BLOCK_TILES, ...SMALL },
    verified: { m: 96, n: 64, k: 64 },
    rates: {
      row: '002.14',
      problem: cube,
      theirs: stated([5.91, 6.06, 6.08, 5.7], [41.31, 54.91, 54.41, 58.43]),
    },
  },
  {
    row: '002.12',
    id: 'threadTiles',
    text: t('02 thread tiling: 16 x 16 threads with 4 x 4 elements each'),
    schedule: THREAD_TILES,
    verified: { m: 128, n: 64, k: 64 },
    rates: {
      row: '002.14',
      problem: cube,
      theirs: stated([6.03, 11.63, 10.57, 11.48], [40.91, 54.91, 54.41, 57.77]),
    },
  },
];

export function ratios(): Tutorial {
  return {
    name: 'ratios',
    title: t('Gemm on an RTX 4090'),
    reproduces: t('Arithmetic intensities of device, problem and three kernels, and their rates'),
    gpu: GPU,
    sizes: SIZES,
    kernels: kernels(),
    rows,
    listings: [],
  };
}

function rows(): readonly Row[] {
  const on = (schedule: Schedule, size = 1024): Subject => subjectOf(cube(size), schedule, GPU);
  const [naive, block, thread] = [on(NAIVE), on(BLOCK_TILES), on(THREAD_TILES)];
  const larger = on(NAIVE, 2048);
  const { roofline } = naive.analysis;
  const peak = (kind: 'compute' | 'memory'): number =>
    roofline.ceilings.find(one => one.kind === kind)?.value ?? NaN;
  const levels = rooflineOfLevels(naive.kernel, deviceOf(GPU), naive.analysis);
  const verdict = verdictOf(roofline, levels);
  return [
    number('002.1', 'peak', t('Peak rate of the GPU, FP32'), 82, peak('compute'), {
      unit: 'TFLOP/s',
    }),
    number('002.1', 'bandwidth', t('Bandwidth of the GPU'), 1008, peak('memory'), { unit: 'GB/s' }),
    number('002.2', 'deviceRatio', t('Device ratio'), 81.3, roofline.deviceRatio.value, {
      unit: 'FLOP/B',
      decimals: 1,
      note: t('Below this arithmetic intensity, memory limits a kernel.'),
    }),
    number('002.4', 'problem1024', t('Ratio of the problem at 1024'), 128, problemRatio(naive), {
      unit: 'FLOP/B',
      note: t('2 M N K / (M K + N K + 2 M N elements of 4 B)'),
    }),
    number('002.4', 'problem2048', t('Ratio of the problem at 2048'), 256, problemRatio(larger), {
      unit: 'FLOP/B',
    }),
    text('002.3', 'problemBound', t('Bound of the problem at 1024'), 'compute', roofline.bound),
    number('002.5', 'naiveRatio', t('Ratio of kernel 00 without caches'), 0.25, ratio(naive), {
      unit: 'FLOP/B',
      decimals: 2,
    }),
    text(
      '002.6',
      'naiveBound',
      t('Bound of kernel 00 without caches'),
      'memory',
      verdict.withoutCaches,
      t('The tutorial counts requests without caches. Verdict here: {0}', verdict.text),
    ),
    number('002.8', 'blocks', t('Thread blocks of kernel 00'), 1024, blocksOf(naive)),
    {
      row: '002.9',
      id: 'ideas',
      text: t('Ratio of kernels 00, 01 and 02: reuse per block, then per thread'),
      kind: 'equal',
      theirs: null,
      unit: 'FLOP/B',
      ours: () => [naive, block, thread].map(one => ratio(one).toFixed(2)).join(' < '),
    },
    number('002.10', 'iterations', t('k-iterations of kernel 01: K / BK'), 32, iterations(block)),
    number('002.11', 'blockRatio', t('Ratio of kernel 01, A and B only'), 8, ratioWithoutC(block), {
      unit: 'FLOP/B',
    }),
    {
      ...number('002.11', 'blockRatioC', t('Ratio of kernel 01 with C'), 8, ratio(block), {
        unit: 'FLOP/B',
        decimals: 2,
        note: t(
          'The formula of the tutorial reads and writes C. Its number 8 leaves C out, so the exact number is lower.',
        ),
      }),
      kind: 'within',
      tolerancePercent: 4,
    },
    text(
      '002.12',
      'threads',
      t('Threads and elements per thread of kernel 02'),
      '256, 4 x 4',
      [
        thread.kernel.plan.threads,
        `${thread.kernel.plan.thread.m} x ${thread.kernel.plan.thread.n}`,
      ].join(', '),
    ),
    number('002.13', 'threadRatio', t('Ratio of kernel 02'), 15.1, ratio(thread), {
      unit: 'FLOP/B',
      decimals: 1,
      note: t('The printed formula lacks sizeof(float); its number includes it.'),
    }),
    ...kernels().map(({ row, id, text: what }): Row => ({
      row,
      id: `${id}Result`,
      text: t('Wrong elements: {0}', what),
      kind: 'equal',
      theirs: 0,
      ours: wrongElements(id),
    })),
  ];
}

type Details = Pick<Row, 'unit' | 'decimals' | 'note'>;

const number = (
  row: string,
  id: string,
  what: string,
  theirs: number,
  ours: number,
  details: Details = {},
): Row => ({ row, id, text: what, kind: 'equal', theirs, ours: () => ours, ...details });

const text = (
  row: string,
  id: string,
  what: string,
  theirs: Value,
  ours: Value,
  note?: string,
): Row => ({
  row,
  id,
  text: what,
  kind: 'equal',
  theirs,
  ours: () => ours,
  ...(note === undefined ? {} : { note }),
});

const ratio = ({ analysis }: Subject): number => analysis.roofline.kernelRatio.value;
const problemRatio = ({ analysis }: Subject): number => analysis.roofline.problemRatio.value;
const blocksOf = ({ kernel: { grid } }: Subject): number => grid.x * grid.y * grid.z;
const iterations = ({ kernel: { plan, problem } }: Subject): number =>
  Math.ceil(problem.k / plan.tile.k);

function ratioWithoutC({ kernel: { plan, problem } }: Subject): number {
  const readAndWritten = 2 * matrixElements(problem, 'c') * DTYPE_BYTES[problem.c.dtype];
  return flops(problem) / (uncachedBytes(plan) - readAndWritten);
}
