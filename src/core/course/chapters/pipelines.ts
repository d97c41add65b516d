/** Chapters on occupancy and on software pipelines. */
import { limitsOf } from '../../hardware/computeCapability';
import { DEFAULT_DEVICE, deviceOf } from '../../hardware/devices';
import { grouped } from '../../text/numbers';
import type { Chapter } from '../chapter';
import { specFacts } from '../specFacts';
import { question } from '../prediction';
import { quizPrediction } from '../quizPrediction';
import { specOf } from '../tasks/parts';

const LARGE = { m: 4096, n: 4096, k: 4096 };
const DEEP = { m: 32, n: 32, k: 64 };
const WARPS = {
  algorithm: 'warp-tile',
  block: { m: 128, n: 128, k: 16 },
  warp: { m: 64, n: 32 },
  thread: { m: 8, n: 8 },
} as const;
const SMALL = {
  block: { m: 32, n: 32, k: 8 },
  warp: { m: 32, n: 16 },
  thread: { m: 4, n: 4 },
} as const;

/** Limits of an SM, and the number of resident blocks that follows from them. */
function residencySentences(): readonly string[] {
  const { computeCapability = '9.0', name } = deviceOf(DEFAULT_DEVICE);
  const sm = limitsOf(computeCapability);
  const kib = (bytes: number): string => `${bytes / 1024} KiB`;
  const registers = grouped(sm.registersPerSm);
  const threads = grouped(sm.maxThreadsPerSm);
  return [
    `An SM of an ${name} has ${registers} registers, ${threads} threads, ${kib(sm.sharedBytesPerSm)} of shared memory and ${sm.maxBlocksPerSm} block slots.`,
    'A block slot is an entry for one resident block.',
    `The driver, the program that controls the GPU, reserves ${kib(sm.sharedBytesReservedPerBlock)} of shared memory per block.`,
    `Registers per thread count in multiples of ${sm.registerAllocationUnit / sm.threadsPerWarp}. All quotients are rounded down.`,
    `Registers permit ${registers} / (registers per thread x threads per block) blocks.`,
    `Threads permit ${threads} / (threads per block) blocks.`,
    `Shared memory permits ${kib(sm.sharedBytesPerSm)} / (bytes per block + ${kib(sm.sharedBytesReservedPerBlock)}) blocks.`,
    `The smallest of these numbers and of the ${sm.maxBlocksPerSm} slots is the number of resident blocks.`,
  ];
}

const occupancy = (): Chapter => ({
  id: 'occupancy',
  title: 'Occupancy',
  idea: 'An SM hides the latency of one warp by executing other warps, so registers and shared memory must leave room for them.',
  terms: [
    [
      'latency',
      'the time from an instruction to its result, several hundred cycles for a global load',
    ],
    [
      'scheduler',
      'one of four parts of an SM, with a quarter of its registers, which issues instructions of its warps',
    ],
    ['resident', 'a block that is on an SM, with its registers and its shared memory'],
    ['occupancy', 'the number of resident warps, divided by the maximum of the SM'],
    ['limiter', 'the resource that permits the fewest resident blocks'],
  ],
  why: [
    'A warp that waits for memory cannot continue, but the SM can execute another resident warp.',
    '',
    ...residencySentences(),
    '',
    'More accumulators per thread improve reuse, but use registers and lower the occupancy.',
    'A high occupancy is not a goal in itself: a kernel with enough independent FMAs needs few warps.',
    'Two FMAs are independent if neither needs the result of the other.',
    'A thread with 64 accumulators has 64 independent FMAs, so its warp can continue without other warps.',
    'The largest occupancy with small tiles is slower than a medium occupancy with large tiles.',
  ],
  after: {
    spec: specOf(
      { algorithm: 'thread-tile-2d', block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } },
      LARGE,
    ),
  },
  excerpt: ['extern "C" __global__', '__shared__ float Bs'],
  look: [
    'Occupancy: the bar of each resource, and the limiter.',
    'Occupancy: How to raise occupancy lists edits with their effect.',
  ],
  prediction: () =>
    quizPrediction(
      specOf(
        { algorithm: 'thread-tile-2d', block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } },
        LARGE,
      ),
      'occupancy/blocks',
      'A kernel runs on an H200.',
    ),
  tasks: ['22-blocks-per-sm'],
  checkpoint: 'You can compute the resident blocks of a kernel by hand, and name the limiter.',
});

const pipeline = (): Chapter => ({
  id: 'pipeline',
  title: 'Software pipelines',
  idea: 'With several tiles in shared memory, the copies of later tiles overlap the FMAs of the current tile.',
  terms: [
    [
      'asynchronous copy',
      'an instruction that starts a copy; the thread continues before the data has arrived (cp.async)',
    ],
    ['stage', 'one pair of tiles of A and B in shared memory'],
    ['double buffering', 'a pipeline with two stages'],
    ['group', 'the asynchronous copies that a thread has started since its last commit'],
    ['commit', 'the end of a group; if no copy was started, the group is empty and counts as well'],
    ['prologue', 'the copies that are started before the main loop'],
  ],
  why: [
    'In the earlier kernels, all threads wait for the copies, then all threads compute.',
    'Within one block, memory and arithmetic units are never busy at the same time.',
    'A pipeline with S stages starts the copies of S - 1 tiles in the prologue.',
    'In iteration t, it waits for tile t, starts the copies of tile t + S - 1, and computes with tile t.',
    '__pipeline_wait_prior(n) waits until at most the n newest groups are in flight.',
    'S - 1 groups are in flight before iteration t, and the oldest of them is tile t. So n is S - 2.',
    'With two stages, n is 0: the copies of tile t + 1 overlap only the FMAs of tile t.',
    'One barrier per iteration is enough: it publishes tile t and frees the stage of tile t - 1.',
  ],
  before: {
    spec: specOf({ algorithm: 'warp-tile', ...SMALL }, DEEP),
  },
  after: {
    spec: specOf({ algorithm: 'pipelined', ...SMALL, stages: 3 }, DEEP),
  },
  excerpt: ['for (int t = 0; t < tiles; ++t)', 'const int k0 = next * BK;'],
  look: [
    'Steps: copies are in flight between their start and the wait. Read the stage of each tile.',
    'The timeline: loads and FMAs of different tiles at the same time.',
  ],
  prediction: () => {
    const stages = 4;
    const { kernel } = specFacts(specOf({ algorithm: 'pipelined', ...SMALL, stages }, DEEP));
    const count = Number(/__pipeline_wait_prior\((\d+)\)/.exec(kernel.source)?.[1]);
    return question(
      `A pipeline has ${stages} stages. Which count does __pipeline_wait_prior get in the main loop?`,
      count,
      [0, 1, 3, 4].filter(value => value !== count),
      [
        `The prologue starts ${stages - 1} groups: tiles 0, 1 and 2.`,
        `Before iteration t, ${stages - 1} groups are in flight: tiles t, t + 1 and t + 2.`,
        `Tile t must be complete, and the ${count} newer groups may remain in flight.`,
      ],
    );
  },
  tasks: ['23-wait-count', '24-next-stage'],
  checkpoint:
    'You can state which tiles are in flight in each iteration, and derive the count of the wait.',
  step: {
    before: WARPS,
    after: { ...WARPS, algorithm: 'pipelined', stages: 3, padding: { a: 4 }, minBlocksPerSm: 2 },
    dtype: 'f32',
  },
});

export const pipelineChapters = (): readonly Chapter[] => [occupancy(), pipeline()];
