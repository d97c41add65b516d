/** Tasks on vectorized accesses and bank conflicts. */
import { exactly } from '../goals';
import { conflicts, type SpecFacts } from '../specFacts';
import type { Goal, KernelTask, SpecTask, Task } from '../task';
import { expressions, mistake, specOf, templateOf, upTo, WARP_TILES } from './parts';

const BIG = { m: 1024, n: 1024, k: 1024 };
const TRIED = { m: 128, n: 128, k: 32 };

const vectorWidth = (): SpecTask => ({
  kind: 'spec',
  id: '15-vector-width',
  title: 'Load 16 bytes per access',
  template: templateOf(
    {
      algorithm: 'vectorized',
      block: { m: 64, n: 64, k: 8 },
      thread: { m: 8, n: 4 },
      vector: '___',
    },
    BIG,
  ),
  simulateAt: { m: 64, n: 64, k: 16 },
  statement: [
    'One access of a thread can load 4, 8 or 16 bytes of consecutive elements.',
    'Choose schedule.vector, the number of elements per access, so that one load of f32 moves 16 bytes.',
  ],
  hints: ['The field counts elements, not bytes.', 'An f32 element has 4 bytes, and 16 / 4 = 4.'],
  solution: ['4'],
  goals: ({ analysis }) => [
    exactly(
      'Bytes per load of B from global memory',
      analysis.globalMemory.find(({ operand, op }) => operand === 'b' && op === 'load')
        ?.widthBytes ?? 0,
      16,
    ),
  ],
  mistakes: [
    mistake('Bytes per load of B from global memory: 4,', '1'),
    mistake('Bytes per load of B from global memory: 8,', '2'),
    mistake('vector', '16'),
    mistake('vector', '3'),
    mistake('vector', '"4"'),
    mistake('vector', '0'),
  ],
});

const transposed = (): KernelTask => ({
  kind: 'kernel',
  id: '16-transposed-store',
  title: 'Store A transposed',
  source: {
    spec: specOf({
      algorithm: 'vectorized',
      block: { m: 16, n: 16, k: 8 },
      thread: { m: 4, n: 4 },
    }),
  },
  statement: [
    'A thread has loaded 4 consecutive elements v[0] to v[3] of row r of A, beginning at column c.',
    'As stores the tile transposed: its first index is k, its second index the row of A.',
    'Write both indices of the element that receives v[j].',
  ],
  hints: [
    'Element v[j] is in row r and column c + j of the tile of A.',
    'Transposed means that the column of A is the first index of As.',
  ],
  cuda: {
    cuts: [
      { within: 'As[c + j][r] = v[j];', removes: 'c + j' },
      { within: '][r] = v[j];', removes: 'r' },
    ],
    holes: expressions(
      { c: [0, 4], r: upTo(16), j: upTo(4), e: [1], BK: [8] },
      'first index',
      'second index',
    ),
  },
  solution: ['c + j', 'r'],
  mistakes: [
    mistake('this is the second index', 'r', 'c + j'),
    mistake('the term with j is missing', 'c', 'r'),
    mistake('the term with c is missing', 'j', 'r'),
    mistake('The second index is incorrect', 'c + j', 'r + j'),
    mistake('bytes instead of elements', '(c + j) * 4', 'r'),
    mistake('The second index is missing', 'c + j', ''),
  ],
});

const free = (facts: SpecFacts): Goal => {
  const sites = conflicts(facts).filter(({ operand }) => operand !== 'c');
  const [first] = sites;
  return exactly('Accesses of As and Bs with bank conflicts', sites.length, 0, {
    why:
      first === undefined
        ? ''
        : `${first.site}: ${first.wavefrontsPerRequest} wavefronts per request (ideal ${first.idealWavefronts}).`,
  });
};

const padding = (): SpecTask => ({
  kind: 'spec',
  id: '19-padding',
  title: 'Remove bank conflicts by padding',
  template: templateOf(
    {
      algorithm: 'warp-tile',
      block: { m: 128, n: 128, k: 16 },
      warp: { m: 64, n: 32 },
      thread: { m: 8, n: 8 },
      padding: { a: '___' },
    },
    BIG,
  ),
  simulateAt: TRIED,
  statement: [
    'Shared memory has 32 banks of 4 bytes. Lanes that access different words of one bank wait for each other.',
    'Padding adds unused elements to each row of As, so that the rows begin in different banks.',
    'Choose schedule.padding.a, the smallest padding without bank conflicts.',
  ],
  hints: [
    'The lanes of a store write to several rows of As in the same column.',
    'A row of As has 128 elements, a multiple of 32. With padding p, the next row begins p banks later.',
  ],
  solution: ['2'],
  goals: facts => [
    free(facts),
    exactly('Padding elements per row', facts.plan.spec.schedule.padding?.a ?? 0, 2, {
      goal: 'the smallest padding without conflicts',
    }),
  ],
  mistakes: [
    mistake('bank conflicts', '0'),
    mistake('bank conflicts', '1'),
    mistake('bank conflicts', '3'),
    mistake('bank conflicts', '4'),
    mistake('the smallest padding without conflicts', '6'),
    mistake('padding.a', '-1'),
    mistake('bank conflicts', '32'),
    mistake('padding.a', '2000'),
  ],
});

const swizzle = (): SpecTask => ({
  kind: 'spec',
  id: '20-swizzle',
  title: 'Remove bank conflicts by a swizzle',
  template: templateOf(
    {
      algorithm: 'mma',
      block: { m: 64, n: 64, k: 32 },
      warp: { m: 32, n: 32 },
      stages: 2,
      fragments: 1,
      swizzle: '___',
      raster: { order: 'row', group: 1 },
    },
    BIG,
    'f16',
  ),
  simulateAt: { m: 64, n: 64, k: 64 },
  statement: [
    'A swizzle changes the order of the elements within a row, by an XOR with a multiple of the row number.',
    'The kernel uses tensor cores (chapter 13). It reads 16 bytes per lane: 128 words, at least 4 wavefronts.',
    'A swizzle needs no additional shared memory. Choose the value of schedule.swizzle without bank conflicts.',
  ],
  hints: [
    'The field accepts two values: one of them leaves the order unchanged.',
    'The swizzle of this field is the exclusive or, xor.',
  ],
  solution: ['"xor"'],
  goals: facts => [free(facts)],
  mistakes: [
    mistake('bank conflicts', '"none"'),
    mistake('swizzle', '"XOR"'),
    mistake('swizzle', 'true'),
    mistake('swizzle', '"128B"'),
    mistake('swizzle', '3'),
    mistake('Not JSON', 'xor'),
  ],
});

const swizzled = (): KernelTask => ({
  kind: 'kernel',
  id: '21-swizzled-index',
  title: 'Read the element that was stored',
  source: WARP_TILES,
  statement: [
    'The stores to As use a swizzle: the element of row k and column r is at column r ^ (k % SWIZZLE_A * VEC).',
    'The first hole is the mask of the stores, where the row is c + j.',
    'The second hole is the mask of the loads, where the row is k.',
  ],
  hints: [
    'A load must use the same formula as the store of that element.',
    'The row of the store is c + j, so its mask is (c + j) % SWIZZLE_A * VEC.',
  ],
  cuda: {
    cuts: [
      {
        within: 'As[c + j][r ^ ((c + j) % SWIZZLE_A * VEC)]',
        removes: '(c + j) % SWIZZLE_A * VEC',
      },
      {
        within: '(threadRow + m * LANES_M) ^ (k % SWIZZLE_A * VEC)',
        removes: 'k % SWIZZLE_A * VEC',
      },
    ],
    holes: [
      ...expressions(
        { c: upTo(4, 4), j: upTo(4), r: [5], SWIZZLE_A: [8], VEC: [4], BM: [64] },
        'mask of the stores',
      ),
      ...expressions(
        { k: upTo(16), m: [0, 4], threadRow: [0, 4], SWIZZLE_A: [8], VEC: [4], LANES_M: [4] },
        'mask of the loads',
      ),
    ],
  },
  solution: ['(c + j) % SWIZZLE_A * VEC', 'k % SWIZZLE_A * VEC'],
  mistakes: [
    mistake('The mask of the loads is incorrect', '(c + j) % SWIZZLE_A * VEC', '0'),
    mistake('The mask of the stores is incorrect', '0', 'k % SWIZZLE_A * VEC'),
    mistake('the factor VEC is missing', '(c + j) % SWIZZLE_A * VEC', 'k % SWIZZLE_A'),
    mistake('the remainder % SWIZZLE_A is missing', '(c + j) % SWIZZLE_A * VEC', 'k * VEC'),
    mistake('the term with j is missing', 'c % SWIZZLE_A * VEC', 'k % SWIZZLE_A * VEC'),
    mistake('quotient and remainder', '(c + j) / SWIZZLE_A * VEC', 'k % SWIZZLE_A * VEC'),
    mistake('"c" is not available', '(c + j) % SWIZZLE_A * VEC', '(c + j) % SWIZZLE_A * VEC'),
  ],
});

export const bankTasks = (): readonly Task[] => [
  vectorWidth(),
  transposed(),
  padding(),
  swizzle(),
  swizzled(),
];
