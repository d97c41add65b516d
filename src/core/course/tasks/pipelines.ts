/** Tasks on occupancy and software pipelines. */
import { atLeast } from '../goals';
import type { KernelTask, SpecTask, Task } from '../task';
import { expressions, mistake, specOf, templateOf, upTo } from './parts';

const BIG = { m: 4096, n: 4096, k: 4096 };

const occupancy = (): SpecTask => ({
  kind: 'spec',
  id: '22-blocks-per-sm',
  title: 'Keep two thread blocks on an SM',
  template: templateOf(
    {
      algorithm: 'mma',
      block: { m: 128, n: 64, k: 64 },
      warp: { m: 64, n: 32 },
      stages: '___',
      fragments: 1,
      swizzle: 'xor',
      raster: { order: 'row', group: 1 },
    },
    BIG,
    'f16',
  ),
  simulateAt: { m: 128, n: 128, k: 128 },
  statement: [
    'This kernel holds several tiles in shared memory: a stage is one tile of A and one of B (chapter 12).',
    'Choose the largest number of stages with which two thread blocks fit on an SM of an H200.',
  ],
  hints: [
    'A stage has (128 x 64 + 64 x 64) elements of 2 bytes, which are 24 KiB.',
    'An SM of an H200 has 228 KiB. Each block also needs about 11 KiB for C and for the driver.',
  ],
  solution: ['4'],
  goals: ({ analysis, plan }) => [
    atLeast('Thread blocks per SM', analysis.occupancy?.heldPerSm ?? 0, 2, {
      why: 'The stages of two blocks exceed the shared memory of an SM.',
    }),
    atLeast('Stages', plan.spec.schedule.stages ?? 0, 4, { goal: 'the largest number that fits' }),
  ],
  mistakes: [
    mistake('Stages: 2', '2'),
    mistake('Stages: 3', '3'),
    mistake('Thread blocks per SM: 1', '5'),
    mistake('stages', '1'),
    mistake('stages', '16'),
    mistake('stages', '0'),
    mistake('stages', '17'),
  ],
});

const PIPELINED = {
  spec: specOf(
    {
      algorithm: 'pipelined',
      block: { m: 32, n: 32, k: 8 },
      warp: { m: 32, n: 16 },
      thread: { m: 4, n: 4 },
      stages: 3,
    },
    { m: 32, n: 32, k: 64 },
  ),
};

const waitCount = (): KernelTask => ({
  kind: 'kernel',
  id: '23-wait-count',
  title: 'Wait for the right copies',
  source: PIPELINED,
  statement: [
    '__pipeline_wait_prior(n) waits until at most the n newest groups of copies are in flight.',
    'Before iteration t, the copies of STAGES - 1 = 2 tiles have been started: tiles t and t + 1.',
    'Write n, so that tile t is complete and tile t + 1 can still be in flight.',
  ],
  hints: [
    'The newest group belongs to tile t + 1. It may remain in flight.',
    'In general, n is STAGES - 2.',
  ],
  cuda: {
    cuts: [{ within: '__pipeline_wait_prior(1);', removes: '1' }],
    holes: [
      {
        kind: 'text',
        accepts: ['STAGES - 2'],
        known: [
          {
            text: '0',
            why: 'Waiting for all groups is correct, but tile t + 1 must then arrive one iteration earlier, so that the third stage has no effect.',
          },
          {
            text: '2',
            why: 'With 2 groups in flight, tile t may be incomplete when it is read (race).',
          },
          {
            text: 'STAGES - 1',
            why: 'STAGES - 1 = 2 groups in flight include tile t, which may be incomplete when it is read (race).',
          },
          {
            text: 'STAGES',
            why: 'At most STAGES - 1 groups are in flight, so this call never waits (race).',
          },
          {
            text: '3',
            why: 'At most 2 groups are in flight, so this call never waits (race).',
          },
          {
            text: 't',
            why: 'The number of groups in flight does not grow with t: one group is started per iteration, and one is consumed.',
          },
          { text: '', why: 'The number of groups is missing.' },
        ],
      },
    ],
  },
  solution: ['1'],
  mistakes: [
    mistake('the third stage has no effect', '0'),
    mistake('tile t may be incomplete', '2'),
    mistake('may be incomplete', 'STAGES - 1'),
    mistake('never waits', 'STAGES'),
    mistake('never waits', '3'),
    mistake('does not grow with t', 't'),
    mistake('is missing', ''),
  ],
});

const nextStage = (): KernelTask => ({
  kind: 'kernel',
  id: '24-next-stage',
  title: 'Choose the stage that is refilled',
  source: PIPELINED,
  statement: [
    'In iteration t, the block reads tile t and starts the copies of a later tile.',
    'Write the stage of tile t, the number of the later tile, and the stage that receives it.',
  ],
  hints: [
    'Tile t is in stage t % STAGES. The prologue has started the first STAGES - 1 tiles.',
    'The stage that was read in iteration t - 1 is free: tile t + STAGES - 1 goes there.',
  ],
  cuda: {
    cuts: [
      { within: 'stage = t % STAGES;', removes: 't % STAGES' },
      { within: 'next = t + STAGES - 1;', removes: 't + STAGES - 1' },
      { within: 'into = next % STAGES;', removes: 'next % STAGES' },
    ],
    holes: [
      ...expressions(
        { t: upTo(8), STAGES: [3], tiles: [8] },
        'stage of tile t',
        'number of the later tile',
      ),
      ...expressions({ next: upTo(10), STAGES: [3], tiles: [8] }, 'stage of the later tile'),
    ],
  },
  solution: ['t % STAGES', 't + STAGES - 1', 'next % STAGES'],
  mistakes: [
    mistake('the remainder % STAGES is missing', 't', 't + STAGES - 1', 'next % STAGES'),
    mistake('it is 1 too large', 't % STAGES', 't + STAGES', 'next % STAGES'),
    mistake('it is 1 too small', 't % STAGES', 't + STAGES - 2', 'next % STAGES'),
    mistake('the remainder % STAGES is missing', 't % STAGES', 't + STAGES - 1', 'next'),
    mistake('quotient and remainder', 't / STAGES', 't + STAGES - 1', 'next % STAGES'),
    mistake(
      'The stage of the later tile is incorrect',
      't % STAGES',
      't + STAGES - 1',
      '(next + 1) % STAGES',
    ),
    mistake('it must change with t', '0', 't + STAGES - 1', 'next % STAGES'),
  ],
});

export const pipelineTasks = (): readonly Task[] => [occupancy(), waitCount(), nextStage()];
