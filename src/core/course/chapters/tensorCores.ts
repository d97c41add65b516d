/** Chapters on tensor cores, and on TMA, mbarriers and wgmma. */
import { ownersOf } from '../../trace/owners';
import { passes, ringSteps } from '../../trace/ring';
import type { Chapter } from '../chapter';
import { specFacts } from '../specFacts';
import { question } from '../prediction';
import { specOf } from '../tasks/parts';

const DEEP = { m: 32, n: 32, k: 64 };
const RING_SHAPE = { m: 128, n: 128, k: 256 };
const SIMPLE = {
  algorithm: 'mma',
  stages: 2,
  fragments: 1,
  raster: { order: 'row', group: 1 },
} as const;
const MMA = {
  ...SIMPLE,
  block: { m: 32, n: 32, k: 16 },
  warp: { m: 16, n: 16 },
  swizzle: 'none',
} as const;
const WGMMA = {
  algorithm: 'wgmma',
  kernelSchedule: 'cooperative',
  consumers: 1,
  cluster: { m: 1, n: 1 },
} as const;
const SMALL_RING = specOf(
  { ...WGMMA, block: { m: 64, n: 64, k: 64 }, stages: 4 },
  RING_SHAPE,
  'f16',
);
const STEPS = {
  mma: {
    ...SIMPLE,
    block: { m: 128, n: 128, k: 32 },
    warp: { m: 64, n: 64 },
    swizzle: 'xor',
    stages: 3,
  },
  one: {
    ...WGMMA,
    block: { m: 128, n: 128, k: 64 },
    stages: 2,
    raster: { order: 'row', group: 1 },
  },
  four: {
    ...WGMMA,
    block: { m: 128, n: 128, k: 64 },
    stages: 4,
    raster: { order: 'row', group: 1 },
  },
  threads: {
    algorithm: 'pipelined',
    block: { m: 128, n: 128, k: 16 },
    warp: { m: 64, n: 32 },
    thread: { m: 8, n: 8 },
    stages: 2,
  },
} as const;

const fragments = (): Chapter => ({
  id: 'tensor-cores',
  title: 'Tensor cores',
  idea: 'A warp multiplies whole fragments with one instruction, and each lane holds a fixed part of them.',
  terms: [
    ['tensor core', 'a unit of the SM that multiplies small matrices'],
    [
      'MMA',
      'a matrix multiply-accumulate instruction, such as m16n8k16: 16 x 8 results, 16 products each',
    ],
    [
      'MMA fragment',
      'the part of A, B or C that one MMA uses, distributed over 32 lanes; in chapter 8, one thread held all of a fragment',
    ],
    [
      'ldmatrix',
      'an instruction with which a warp loads 8 x 8 matrices from shared memory as fragments',
    ],
    ['PTX', 'the instruction language of NVIDIA GPUs; the PTX name of an MMA is mma.sync'],
    ['epilogue', 'the part of a kernel after the main loop, which writes the accumulators to C'],
  ],
  why: [
    'One FMA instruction of a warp computes 32 products; one MMA m16n8k16 computes 2,048.',
    'A and B have f16 here, but the accumulators f32: a long sum in f16 has a large rounding error.',
    'The price is a fixed distribution: the instruction defines which lane holds which element.',
    '',
    'Lane l holds the columns 2 (l % 4) and 2 (l % 4) + 1 of C.',
    'Its rows are l / 4 and l / 4 + 8.',
    'In A, it holds the same elements as in C, and also those 8 columns to the right.',
    'In B, it holds column l / 4, at k = 2 (l % 4), the next k, and both plus 8.',
    '',
    'ldmatrix creates the layouts of A and B: each lane supplies the address of one row.',
    'Such a row has 16 bytes, which are 8 elements of 2 bytes.',
    'The lane that supplies a row is not the lane that receives its elements.',
    'A lane holds two neighboring elements of two rows of C, so direct stores would not be coalesced.',
    'The epilogue therefore writes the accumulators to shared memory, and reads them back in rows.',
  ],
  before: {
    spec: specOf(
      {
        algorithm: 'pipelined',
        block: { m: 32, n: 32, k: 8 },
        warp: { m: 32, n: 16 },
        thread: { m: 4, n: 4 },
        stages: 2,
      },
      DEEP,
    ),
  },
  after: { spec: specOf(MMA, DEEP, 'f16') },
  excerpt: ['k-step of', 'mma(acc[m][n]'],
  look: [
    'Fragments: the grid shows the lane and the register of each element.',
    'The source: ldmatrix4 and mma wrap one PTX instruction each.',
  ],
  prediction: () => {
    const { kernel } = specFacts(specOf(MMA, DEEP, 'f16'));
    const [row, column] = [9, 3];
    const owner = ownersOf(kernel).ownerOf({ entry: 0, row, column }).accumulators[0];
    const lane = owner?.lane ?? -1;
    return question(
      `C begins with the accumulator fragment of an MMA m16n8k16. Which lane holds C(${row}, ${column})?`,
      lane,
      [9, 13, 4 * row + 1],
      [
        `Row ${row} is row ${row - 8} + 8, so l / 4 = ${row - 8}.`,
        `Column ${column} is 2 * 1 + 1, so l % 4 = 1.`,
        `The lane is ${row - 8} * 4 + 1 = ${lane}.`,
      ],
    );
  },
  tasks: ['25-fragment-address', '26-warps-of-mma'],
  checkpoint:
    'You can find the lane of an element of a fragment, and the row that a lane supplies to ldmatrix.',
  step: { before: STEPS.threads, after: STEPS.mma, dtype: 'f16' },
});

const RING = { stages: 4, iterations: 8, bytes: 16_384, releases: 1 };

/** Parities of both waits in a pass over the ring. */
function passSentence(pass: number): string {
  const parityOf = (awaited: 'waitEmpty' | 'waitFull'): number | null | undefined =>
    ringSteps(RING).find(
      ({ action, iteration }) => action === awaited && iteration === pass * RING.stages,
    )?.parity;
  return `Pass ${pass + 1}: phase is ${pass}, the producer waits for parity ${parityOf('waitEmpty')}, the consumer for parity ${parityOf('waitFull')}.`;
}

const ring = (): Chapter => ({
  id: 'ring',
  title: 'TMA, mbarriers and the ring',
  idea: 'One thread starts the copies of whole tiles, and barriers in shared memory count arrived bytes and free buffers.',
  terms: [
    [
      'TMA',
      'the Tensor Memory Accelerator: a unit that copies a box, a rectangular part of a matrix, after one instruction',
    ],
    [
      'tensor map',
      'a description for TMA: address and size of a matrix, extents of the box, and the swizzle',
    ],
    ['mbarrier', 'a barrier in shared memory that counts arrivals and bytes'],
    ['arrival', 'an instruction with which a thread reports to an mbarrier, without waiting'],
    ['phase', 'one use of an mbarrier: it ends when all expected arrivals and bytes have arrived'],
    ['parity', 'the number of the phase modulo 2'],
    ['ring buffer', 'stages that are used in turn; after the last stage the first one follows'],
    ['producer', 'the warps that load tiles'],
    ['consumer', 'the warps that multiply tiles'],
  ],
  why: [
    'With cp.async, all threads compute addresses and start copies. TMA needs one thread.',
    'TMA also applies the swizzle, and writes zeros for elements outside of the matrix.',
    'A stage has two mbarriers. The barrier full completes when the bytes of a tile have arrived.',
    'The barrier empty completes when the consumers have released the stage.',
    'arriveExpectBytes sets how many bytes the mbarrier full waits for, and is its only arrival.',
    'The kernel initializes empty with one arrival per warp group that reads the stage.',
    '',
    'A wait names a parity, and it passes if the current phase has the other parity.',
    'All threads count passes over the ring: phase is 0 in the first pass and 1 in the second.',
    'The consumer waits on full with phase, because the first load completes phase 0.',
    'The producer waits on empty with phase ^ 1, because a stage is free in the first pass.',
    'A new mbarrier is in phase 0, and a wait for parity 1 passes as if a phase of parity 1 had completed.',
    'In the second pass, the wait for parity 0 passes when the consumers have released the stage once.',
    '',
    'If the consumers never release a stage, the producer fills all stages and then waits forever.',
    'The consumers then wait forever for the next tile: a deadlock.',
  ],
  after: { spec: SMALL_RING },
  excerpt: ['// Producer: one thread issues', 'if (++stage == STAGES)'],
  look: [
    'Steps: each step of the ring shows both barriers of a stage, their parity, and their pending arrivals and bytes.',
    'The source: waitBarrier(empty, phase ^ 1) and waitBarrier(full, phase).',
  ],
  prediction: () => {
    const steps = ringSteps(RING);
    const parityIn = (pass: number): 0 | 1 => {
      const wait = steps.find(
        ({ action, iteration }) => action === 'waitEmpty' && iteration === pass * RING.stages,
      );
      return wait?.parity === 1 ? 1 : 0;
    };
    const [first, again] = [parityIn(0), parityIn(1)];
    const start = steps[0]?.stages[0]?.empty;
    if (start === undefined) throw new Error('The ring has no steps.');
    const text = (one: number, two: number): string =>
      `${one} in the first pass, ${two} in the second`;
    return question(
      'For which parity does the producer wait on empty?',
      text(first, again),
      [text(again, first), text(0, 0), text(1, 1)],
      [
        `At the start, the mbarrier is in phase ${start.parity}. A wait for parity ${first} ${passes(start, first) ? 'does not block' : 'blocks'}.`,
        `A wait for parity ${again} ${passes(start, again) ? 'does not block' : 'blocks until the phase completes'}: no consumer has released the stage, so the kernel would hang.`,
        `In the second pass, the release has completed phase ${again}, so the wait for ${again} is the right one.`,
        ...[0, 1].map(passSentence),
      ],
    );
  },
  tasks: ['27-phase'],
  checkpoint:
    'You can explain why the producer never blocks in the first pass over the ring, but can block in the second one.',
});

const wgmma = (): Chapter => ({
  id: 'wgmma',
  title: 'Warp-group MMA',
  idea: 'A group of four warps starts an asynchronous multiplication that reads both operands directly from shared memory.',
  terms: [
    ['warp group', 'four consecutive warps, 128 threads'],
    [
      'wgmma',
      'a warp-group MMA of Hopper GPUs: 64 rows, up to 256 columns, operands in shared memory',
    ],
    [
      'descriptor',
      'a 64-bit value that describes a tile in shared memory to wgmma, with the swizzle that TMA used',
    ],
    ['warp specialization', 'a kernel in which some warps only load and other warps only multiply'],
  ],
  why: [
    'With warp specialization, the producer waits for free stages while the consumers multiply.',
    'If the same warps did both, each wait for a free stage would delay their products.',
    'The producer has no accumulators: the instruction setmaxnreg can give its registers to the consumers.',
    '',
    'mma needs its operands in registers, so each warp loads fragments with ldmatrix.',
    'wgmma reads them from shared memory through descriptors, and only the accumulators are in registers.',
    'One wgmma multiplies 16 elements of k in f16, so a stage of 64 elements needs 4 of them.',
    'wgmmaFence orders the writes of the accumulators before the first wgmma that uses them.',
    '',
    'The instruction is asynchronous: the warp group continues while the tensor cores multiply.',
    'wgmmaWait<n>() waits until at most the n newest groups are in flight.',
    'With n = 1, the products of the previous k-iteration are complete, so the consumer can release its stage: it arrives at empty.',
    'The products of this k-iteration continue, so the tensor cores do not become idle.',
    'The number of stages decides how far the producer can load ahead.',
  ],
  after: { spec: SMALL_RING },
  excerpt: ['for (int iteration = 0;', 'if (++stage == STAGES)'],
  look: [
    'The timeline: loads of the producer, products of the consumer, and the epilogue.',
    'Steps: a stage is released one k-iteration after its products were issued.',
    'Kernel schedule tma: one warp group loads and multiplies, and __syncthreads replaces empty.',
  ],
  prediction: () => {
    const steps = ringSteps(RING);
    const firstRelease = steps.findIndex(({ action }) => action === 'release');
    const loads = steps.slice(0, firstRelease).filter(({ action }) => action === 'load').length;
    return question(
      `A ring has ${RING.stages} stages, and the consumer has not released any of them. How many tiles can the producer have started to load?`,
      loads,
      [1, RING.stages - 1, RING.stages + 1].filter(value => value !== loads),
      [
        'The first wait on empty of each stage does not block.',
        `The producer therefore loads tiles 0 to ${loads - 1}, one per stage.`,
        `Tile ${loads} needs stage ${loads % RING.stages} again, so the producer waits for its release.`,
      ],
    );
  },
  tasks: ['28-wgmma-wait', '29-ring-stages'],
  checkpoint:
    'You can tell when a stage is released, and why one group of products stays in flight.',
  step: { before: STEPS.mma, after: STEPS.four, dtype: 'f16' },
});

export const tensorChapters = (): readonly Chapter[] => [fragments(), ring(), wgmma()];
