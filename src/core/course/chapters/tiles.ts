/** Chapters on thread tiles, warp tiles, vectorized accesses and bank conflicts. */
import { ownersOf } from '../../trace/owners';
import type { Chapter } from '../chapter';
import { specFacts } from '../specFacts';
import { question } from '../prediction';
import { quizPrediction } from '../quizPrediction';
import { specOf } from '../tasks/parts';

const LARGE = { m: 4096, n: 4096, k: 4096 };
const FLAT = { m: 64, n: 64, k: 32 };

const SHARED = specOf({ algorithm: 'shared-tile', block: { m: 4, n: 4, k: 4 } });
const TILE = { block: { m: 16, n: 16, k: 8 }, thread: { m: 4, n: 4 } } as const;
const THREADS = specOf({ algorithm: 'thread-tile-2d', ...TILE });
const VECTORS = specOf({ algorithm: 'vectorized', ...TILE });
const SQUARE = { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } } as const;
const WARPS = {
  algorithm: 'warp-tile',
  block: { m: 128, n: 128, k: 16 },
  warp: { m: 64, n: 32 },
  thread: { m: 8, n: 8 },
} as const;
const SMALL_WARPS = {
  algorithm: 'warp-tile',
  block: { m: 64, n: 64, k: 16 },
  warp: { m: 32, n: 32 },
  thread: { m: 8, n: 4 },
} as const;
const STEPS = {
  shared: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 } },
  threads: { algorithm: 'thread-tile-2d', ...SQUARE },
  vectors: { algorithm: 'vectorized', ...SQUARE },
} as const;

const threads = (): Chapter => ({
  id: 'thread-tiles',
  title: 'Thread tiles in registers',
  idea: 'A thread that computes several rows and columns of C uses each value that it loads several times.',
  terms: [
    [
      'register',
      'the fastest memory; each thread has its own registers and no other thread can read them',
    ],
    ['accumulator', 'a register that holds the partial sum of one element of C'],
    ['outer product', 'the product of a column and a row: each of m values times each of n values'],
    ['thread tile', 'the TM x TN elements of C that one thread computes'],
    ['#pragma unroll', 'a line that makes the compiler write out all iterations of a loop'],
  ],
  why: [
    'In the last kernel, each FMA needs two values from shared memory, so the loads limit the speed.',
    'A thread with 4 x 4 accumulators loads 4 values of A and 4 values of B for each k.',
    'The outer product of these values has 16 FMAs, so there are 8 / 16 = 1/2 loads per FMA.',
    'With 8 x 8 accumulators, 16 values feed 64 FMAs, which is 1/4 load per FMA.',
    'The loop over k is now outside of the loops over the thread tile.',
    'A register has no address, so acc[m][n] is in registers only if the loops over m and n are unrolled.',
    'Registers limit the size of the tile: an SM has 65,536 of them, and a thread at most 255.',
    'The compiler keeps further values in slow memory, which is called a register spill.',
    '',
    'The block has one dimension here.',
    'threadIdx.x / (BN / TN) is the row of thread tiles, and the remainder is the column.',
  ],
  before: { spec: SHARED },
  after: { spec: THREADS },
  excerpt: ['const int blockRow', 'Epilogue'],
  look: [
    'Tiles: the outlines show the block tile, and in it the 4 x 4 elements of each thread.',
    'Steps: one k loads 4 + 4 values and executes 16 FMAs per thread.',
  ],
  prediction: () => {
    const { kernel } = specFacts(THREADS);
    const [row, column] = [9, 3];
    const owner = ownersOf(kernel).ownerOf({ entry: 0, row, column }).accumulators[0];
    if (owner === undefined) throw new Error('The owner is unknown.');
    return question(
      `The block tile is 16 x 16, the thread tile 4 x 4, and the threads are numbered along rows of thread tiles. Which thread computes C(${row}, ${column})?`,
      owner.thread ?? -1,
      [2, 6, row * 16 + column],
      [
        `Row ${row} is in row ${Math.floor(row / 4)} of the thread tiles, and column ${column} in column ${Math.floor(column / 4)}.`,
        'A row of the block tile has 16 / 4 = 4 thread tiles.',
        `The thread is ${Math.floor(row / 4)} * 4 + ${Math.floor(column / 4)} = ${owner.thread ?? -1}; the accumulator is ${owner.register}.`,
      ],
    );
  },
  tasks: ['12-thread-tile-index', '13-thread-tile', '14-register-reuse'],
  checkpoint:
    'You can compute how many FMAs a loaded value feeds, and which thread owns an element.',
  step: { before: STEPS.shared, after: STEPS.threads, dtype: 'f32' },
});

const vectors = (): Chapter => ({
  id: 'vectors',
  title: 'Vectorized accesses and a transposed A',
  idea: 'One instruction can load 16 bytes per lane, so a thread needs a quarter of the load instructions.',
  terms: [
    ['vectorized access', 'one load or store of 2 or 4 consecutive f32 elements by one lane'],
    ['alignment', 'the rule that the address of a 16-byte access is a multiple of 16'],
    ['fragment', 'the values of A or B that a thread needs for one k'],
    ['transposed', 'a tile whose rows are stored as columns'],
  ],
  why: [
    'Each load instruction takes time to be issued, no matter how many bytes it loads.',
    'Four f32 elements fit in one access of 16 bytes.',
    'The fragment of B is a part of a row of Bs, so its elements are consecutive.',
    'The fragment of A is a part of a column, so the distance of its elements is one row.',
    'Storing As transposed makes this fragment consecutive as well.',
    'The copy to shared memory pays for it: one vectorized load of A becomes four stores to four rows.',
  ],
  before: { spec: THREADS },
  after: { spec: VECTORS },
  excerpt: ['Load the A tile', 'Bs[k][threadCol'],
  look: [
    'Memory accesses: the column width shows 16 B instead of 4 B.',
    'The source: copy4 copies VEC = 4 elements in one access, and alignas(16) aligns a variable.',
    'The source: As has the order [BK][BM], and the copy writes As[c + j][r].',
  ],
  prediction: () => {
    const requests = ([1, 4] as const).map(vector => {
      const facts = specFacts(specOf({ ...STEPS.vectors, vector }, LARGE));
      return facts.analysis.globalMemory.find(({ operand }) => operand === 'b')?.requests ?? 0;
    });
    const [narrow = 0, wide = 1] = requests;
    return question(
      'How many times fewer load requests of B are issued with 4 elements per access than with 1?',
      narrow / wide,
      [2, 8, 16],
      [
        'The number of loaded elements is the same.',
        'A request moves 32 lanes x 1 element or 32 lanes x 4 elements.',
        `The numbers of requests are ${narrow.toExponential(2)} and ${wide.toExponential(2)}: a factor of ${narrow / wide}.`,
      ],
    );
  },
  tasks: ['15-vector-width', '16-transposed-store'],
  checkpoint: 'You can tell which dimension must be contiguous for a vectorized access.',
  step: { before: STEPS.threads, after: STEPS.vectors, dtype: 'f32' },
});

const warps = (): Chapter => ({
  id: 'warp-tiles',
  title: 'Warp tiles',
  idea: 'Giving each warp a compact tile of C lets its lanes share loads from shared memory.',
  terms: [
    ['warp tile', 'the WM x WN elements of C that the 32 lanes of one warp compute'],
    [
      'interleaved',
      'a distribution in which a lane owns several groups of rows with a gap between them',
    ],
  ],
  why: [
    'Lanes that read the same address of shared memory are served together.',
    'With one element per lane, a warp of 1 x 32 lanes reads 1 value of A and 32 values of B.',
    'A warp of 4 x 8 lanes reads 4 and 8.',
    'The compact shape has the smaller sum, so fewer different values are loaded per FMA.',
    'The hierarchy is now complete: grid, block tile, warp tile, thread tile.',
    'A lane owns groups of 4 rows: one vectorized access each.',
    'Neighboring lanes own neighboring groups, so they read consecutive addresses.',
    'This step alone is not faster on every GPU; the pipeline of chapter 12 uses its warp tiles.',
  ],
  before: { spec: VECTORS },
  after: { spec: specOf(SMALL_WARPS, FLAT) },
  excerpt: ['const int warp', 'alignas(16) float acc'],
  look: [
    'Tiles: select a warp, and compare its outline with the elements of one of its lanes.',
    'The source: threadRow is the sum of a part of the warp and a part of the lane.',
  ],
  prediction: () => {
    const { kernel } = specFacts(specOf(SMALL_WARPS, FLAT));
    const [row, column] = [37, 8];
    const owner = ownersOf(kernel).ownerOf({ entry: 0, row, column }).accumulators[0];
    if (owner === undefined) throw new Error('The owner is unknown.');
    const place = (warp: number, lane: number): string => `warp ${warp}, lane ${lane}`;
    return question(
      `The block tile is 64 x 64, and the warp tile is 32 x 32. A warp has 4 x 8 lanes with groups of 4 rows. Which lane computes C(${row}, ${column})?`,
      place(owner.warp, owner.lane ?? -1),
      [place(0, 10), place(1, owner.lane ?? -1), place(owner.warp, 18)],
      [
        `Row ${row} is in row 1 of the warp tiles, and column ${column} in column 0: warp 1 * 2 + 0 = ${owner.warp}.`,
        `Within the warp tile, row ${row - 32} is in group 1 of 4 rows, and column ${column} in group 2.`,
        `A row of the warp tile has 8 lanes: lane 1 * 8 + 2 = ${owner.lane ?? -1}.`,
      ],
    );
  },
  tasks: ['17-warp-tile', '18-lane-index'],
  checkpoint: 'You can decompose a thread number into warp and lane, and find their tiles.',
  step: { before: STEPS.vectors, after: WARPS, dtype: 'f32' },
});

const BANKS = 32;
const WORD_BYTES = 4;

/** Banks of the transposing store of `WARPS` without padding, and with padding of 2. */
function bankSentences(): readonly string[] {
  const [rows, row, padding] = [WARPS.block.m, 4, 2];
  const bank = (pad: number): string =>
    `word ${row} * ${rows + pad} = ${row * (rows + pad)}, in bank ${row * (rows + pad)} % ${BANKS} = ${(row * (rows + pad)) % BANKS}`;
  const widthOf = (a: number): number => {
    const { analysis } = specFacts(specOf({ ...WARPS, padding: { a } }, LARGE));
    return (
      analysis.sharedMemory.find(({ operand, op }) => operand === 'a' && op === 'load')
        ?.widthBytes ?? 0
    );
  };
  return [
    `Let a row of As have ${rows} words, a multiple of ${BANKS}. All rows then begin in the same bank.`,
    `As[${row}][0] is ${bank(0)}. As[0][0] is in the same bank, so both need their own wavefront.`,
    `With padding of ${padding}, As[${row}][0] is ${bank(padding)}.`,
    'A store of one warp writes 8 columns of rows 0, 4, 8 and 12.',
    'Each of these rows must begin 8 banks after the previous one.',
    `Padding of 2 does this, because 4 * 2 = 8.`,
    'If the lanes read one column of 32 consecutive rows, padding of 1 is enough.',
    `A row of ${rows + padding} elements has ${(rows + padding) * WORD_BYTES} bytes, which is not a multiple of 16.`,
    `The padded kernel therefore loads As with ${widthOf(padding)} bytes per access instead of ${widthOf(0)}.`,
  ];
}

/** Wavefronts of the transposing store of the chapter without and with a swizzle. */
function swizzleSentences(): readonly string[] {
  const [before, after] = [SMALL_WARPS, { ...SMALL_WARPS, swizzle: 'xor' } as const].map(
    schedule =>
      specFacts(specOf(schedule, FLAT)).analysis.sharedMemory.find(
        ({ operand, op }) => operand === 'a' && op === 'store',
      )?.wavefrontsPerRequest ?? 0,
  );
  return [
    'In the changed lines below, column r of row k is stored at column r ^ (k % 8 * 4).',
    `Column 1 of row 4 is thus at column 1 ^ 16 = ${1 ^ 16}, in another bank than column 1 of row 0.`,
    `Rows 0 and 8 have the same mask, so a store needs ${after} wavefronts instead of ${before}.`,
  ];
}

const banks = (): Chapter => ({
  id: 'banks',
  title: 'Bank conflicts, padding and swizzles',
  idea: 'Shared memory has 32 banks, and lanes that access different words of one bank are served one after another.',
  terms: [
    ['bank', 'one of 32 parts of shared memory; word w of 4 bytes is in bank w % 32'],
    [
      'bank conflict',
      'different words of one bank in one request, which then needs several wavefronts',
    ],
    ['padding', 'unused elements at the end of each row, which shift the next row to other banks'],
    [
      'swizzle',
      'a permutation of the elements within a row, computed by an XOR with a multiple of the row number',
    ],
    ['XOR', 'the exclusive or, written ^ in code: r ^ x flips the bits of r that are 1 in x'],
    ['wavefront', 'one pass through shared memory; a request needs one or more of them'],
  ],
  why: [
    'A bank serves one word per wavefront. A word that several lanes read is served once.',
    'The transposing store of the last chapters writes the four values of a vector to four rows.',
    '',
    ...bankSentences(),
    '',
    'A swizzle needs no additional memory: it exchanges groups of elements within a row.',
    ...swizzleSentences(),
    'Use a swizzle if rows must stay aligned to 16 bytes, or if shared memory is scarce.',
    'Each load must use the same permutation as the store.',
    'The gain is that of a kernel with tensor cores (chapter 13).',
  ],
  before: { spec: specOf(SMALL_WARPS, FLAT) },
  after: { spec: specOf({ ...SMALL_WARPS, swizzle: 'xor' }, FLAT) },
  look: [
    'Memory accesses: As store, its wavefronts per request, before and after.',
    'The picture of a request: 32 banks, and the lanes in each of them.',
  ],
  prediction: () =>
    quizPrediction(
      specOf(WARPS, LARGE),
      'shared/wavefronts/As store store',
      'The tile of A is 128 x 16, stored transposed without padding. Four lanes with consecutive vectors of a row write to every fourth row.',
    ),
  tasks: ['19-padding', '20-swizzle', '21-swizzled-index'],
  checkpoint:
    'You can compute the bank of an element, and remove a conflict by padding or by a swizzle.',
  step: {
    before: {
      algorithm: 'mma',
      block: { m: 64, n: 64, k: 32 },
      warp: { m: 32, n: 32 },
      stages: 2,
      fragments: 1,
      swizzle: 'none',
      raster: { order: 'row', group: 1 },
    },
    after: {
      algorithm: 'mma',
      block: { m: 64, n: 64, k: 32 },
      warp: { m: 32, n: 32 },
      stages: 2,
      fragments: 1,
      swizzle: 'xor',
      raster: { order: 'row', group: 1 },
    },
    dtype: 'f16',
  },
});

export const tileChapters = (): readonly Chapter[] => [threads(), vectors(), warps(), banks()];
