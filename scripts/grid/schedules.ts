/** Draws random schedules: with tiles that match one algorithm, or with arbitrary fields. */
import {
  ALGORITHMS,
  SPLIT_K_REDUCTIONS,
  VARIANTS,
  type Schedule,
} from '../../src/core/spec/schema';
import type { Choices } from './choices';

type Tile = Readonly<Record<'m' | 'n', number>>;

/**
 * Algorithms for seeds below `LATER_SEEDS`. Records refer to seeds, so a seed must always yield the
 * same spec.
 */
const FIRST_ALGORITHMS = ALGORITHMS.filter(
  algorithm => algorithm !== 'register-tile' && algorithm !== 'gemv',
);

const SIDES = [1, 2, 3, 4, 5, 6, 8, 12, 16];
const EXTENTS = [1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 24, 32, 33, 48, 64];
const DEPTHS = [1, 2, 3, 4, 5, 8, 8, 12, 16, 16, 20, 32];

/** Generators, weighted by repetition: algorithms with more fields are drawn more often. */
const NEAR_LEGAL: readonly ((from: Choices) => Schedule)[] = [
  direct,
  sharedTile,
  sharedTile,
  threadTile,
  threadTile,
  threadLayout,
  threadLayout,
  laned('vectorized'),
  laned('vectorized'),
  laned('warp-tile'),
  laned('warp-tile'),
  laned('pipelined'),
  laned('pipelined'),
  laned('pipelined'),
];

export const nearLegal = (from: Choices): Schedule => ({
  ...from.pick(NEAR_LEGAL)(from),
  ...parts(from),
});

const parts = ({ pick, maybe }: Choices) =>
  maybe(20, () => ({
    splitK: pick([2, 2, 3, 4, 7]),
    ...maybe(60, () => ({ splitKReduction: pick(SPLIT_K_REDUCTIONS) })),
  }));

const occupancy = ({ pick, maybe }: Choices) =>
  maybe(15, () => ({ minBlocksPerSm: pick([1, 1, 2, 4]) }));

const padding = ({ pick, maybe }: Choices, percent = 40) =>
  maybe(percent, () => ({ padding: { a: pick([0, 1, 2, 3, 4, 8]), b: pick([0, 1, 4, 5]) } }));

const raster = ({ pick, maybe }: Choices) =>
  maybe(30, () => ({
    raster: { order: pick(['row', 'col'] as const), group: pick([1, 2, 3, 4, 100]) },
  }));

function direct(from: Choices): Schedule {
  const { pick } = from;
  const shape = pick([
    { algorithm: 'naive' },
    { algorithm: 'coalesced', variant: 'swap' },
    { algorithm: 'coalesced', variant: 'remap' },
  ] as const);
  const m = pick([1, 2, 3, 5, 8, 16, 24, 32]);
  return { ...shape, block: { m, n: pick(EXTENTS) }, ...occupancy(from) };
}

function sharedTile(from: Choices): Schedule {
  const { pick } = from;
  const variant = pick(['2d', '1d', 'transposed'] as const);
  const block = { m: pick([1, 3, 4, 5, 8, 16, 20, 32]), n: pick([1, 2, 7, 8, 12, 16, 24, 32]) };
  const k = pick(DEPTHS);
  return {
    algorithm: 'shared-tile',
    variant,
    block: { ...block, k },
    ...padding(from),
    ...occupancy(from),
  };
}

function threadTile(from: Choices): Schedule {
  const { pick } = from;
  const algorithm = pick(['thread-tile-1d', 'thread-tile-2d'] as const);
  const square = algorithm === 'thread-tile-2d';
  const m = pick([1, 2, 3, 4, 5, 8]);
  const n = square ? pick([1, 2, 3, 4, 8]) : 1;
  const block = { m: m * pick(SIDES), n: n * pick(SIDES), k: pick(DEPTHS) };
  const thread = square ? { m, n } : { m };
  return { algorithm, block, thread, ...padding(from), ...occupancy(from) };
}

/** Draws a thread layout with two modes and `threads` threads, M-major or N-major. */
function modes(
  { pick }: Choices,
  threads: number,
): { readonly shape: Tile; readonly text: string } {
  const m = pick([1, 2, 4, 8, 16, 32].filter(side => threads % side === 0));
  const n = threads / m;
  const strides = pick([`(1,${m})`, `(1,${m})`, `(${n},1)`]);
  return { shape: { m, n }, text: `(${m},${n}):${strides}` };
}

function threadLayout(from: Choices): Schedule {
  const { pick } = from;
  const threads = pick([16, 32, 64, 64, 96, 128, 256]);
  const [a, b, c] = [modes(from, threads), modes(from, threads), modes(from, threads)];
  const common = (...sides: readonly number[]): number =>
    sides.reduce((multiple, side) => (multiple * side) / divisor(multiple, side), 1);
  return {
    algorithm: 'layout',
    block: {
      m: common(a.shape.m, c.shape.m) * pick([1, 1, 2, 3]),
      n: common(b.shape.m, c.shape.n) * pick([1, 1, 2, 3]),
      k: common(a.shape.n, b.shape.n) * pick([1, 1, 2]),
    },
    threadLayout: { a: a.text, b: b.text, c: c.text },
    ...padding(from),
    ...raster(from),
    ...occupancy(from),
  };
}

const divisor = (left: number, right: number): number =>
  right === 0 ? left : divisor(right, left % right);

/** Numbers of lanes per warp along M and N. The last pair does not fill a warp. */
const LANES = [
  [4, 8],
  [8, 4],
  [2, 16],
  [16, 2],
  [32, 1],
  [1, 32],
  [4, 4],
] as const;

function laned(algorithm: 'vectorized' | 'warp-tile' | 'pipelined') {
  return (from: Choices): Schedule => {
    const { pick, maybe } = from;
    const thread = { m: pick([1, 2, 3, 4, 4, 6, 8, 8]), n: pick([1, 2, 3, 4, 4, 5, 8, 8]) };
    const [lanesM, lanesN] = pick(algorithm === 'vectorized' ? [...LANES, [3, 5], [7, 3]] : LANES);
    const warp = { m: lanesM * thread.m, n: lanesN * thread.n };
    const block = {
      m: warp.m * pick([1, 1, 2, 3]),
      n: warp.n * pick([1, 1, 2, 3]),
      k: pick(DEPTHS),
    };
    const against = pick(['nothing', 'padding', 'xor']);
    return {
      algorithm,
      block,
      thread,
      ...maybe(85, () => ({ vector: pick([1, 2, 2, 4, 4, 4, 8] as const) })),
      ...(algorithm === 'vectorized' ? {} : { warp }),
      ...(algorithm === 'pipelined' ? { stages: pick([2, 2, 2, 3, 4, 5, 6]) } : {}),
      ...(against === 'padding' ? padding(from, 100) : {}),
      ...(against === 'xor' ? { swizzle: 'xor' as const } : {}),
      ...raster(from),
      ...occupancy(from),
    };
  };
}

/** Draws register-tile schedules. Some are illegal. */
export function registerTile(from: Choices): Schedule {
  const { pick, maybe } = from;
  const thread = { m: pick([1, 2, 3, 4, 4, 5, 8, 8, 16]), n: pick([1, 2, 3, 4, 4, 8, 8]) };
  const block = {
    m: thread.m * pick([1, 2, 3, 4, 8, 8]),
    n: thread.n * pick([1, 3, 4, 4, 4, 8, 8, 16]),
    k: pick([1, 3, 4, 4, 4, 4, 8, 8, 12, 16, 512]),
  };
  return {
    algorithm: 'register-tile',
    block,
    thread,
    ...maybe(80, () => ({ vector: pick([1, 2, 4, 4, 4, 8] as const) })),
    ...maybe(75, () => ({ sharing: pick(['quad', 'quad', 'quad', 'quad', 'none'] as const) })),
    ...raster(from),
    ...occupancy(from),
  };
}

/** Draws gemv schedules. Some are illegal. */
export function gemv(from: Choices): Schedule {
  const { pick, maybe } = from;
  const m = pick([1, 1, 1, 2, 3, 4, 4, 5]);
  const thread = { m, n: pick([1, 1, 2, 3, 4, 4, 8]), k: pick([1, 2, 3, 4, 4, 8, 16, 600]) };
  const threadsN = pick([1, 1, 2, 4, 8, 8, 16, 32, 3]);
  const threadsK = pick([1, 4, 8, 16, 32, 32, 32, 64, 5]);
  return {
    algorithm: 'gemv',
    block: { m: pick([m, m, m, m, m, m, 4]), n: thread.n * threadsN, k: thread.k * threadsK },
    thread,
    ...maybe(80, () => ({ vector: pick([1, 2, 4, 4, 4, 8] as const) })),
    ...occupancy(from),
  };
}

/** Draws schedules for WGSL subgroup matrices. Some are illegal. */
export function matrices(from: Choices): Schedule {
  const { pick, maybe } = from;
  const mma = pick(MATRICES);
  const warp = { m: mma.m * pick([1, 1, 2, 2, 4]), n: mma.n * pick([1, 1, 2, 2, 4]) };
  const block = {
    m: warp.m * pick([1, 1, 2, 3]),
    n: warp.n * pick([1, 1, 2, 3]),
    k: mma.k * pick([1, 1, 2, 3]) + pick([0, 0, 0, 0, 0, 0, 0, 4]),
  };
  return {
    algorithm: 'mma',
    block,
    warp,
    mma,
    ...maybe(50, () => ({ vector: pick([1, 2, 4, 4, 8, 8] as const) })),
    ...maybe(40, () => ({ padding: { a: pick([0, 8, 8, 16, 4, 1]), b: pick([0, 0, 8, 8]) } })),
    ...raster(from),
    ...occupancy(from),
  };
}

/** Draws schedules for tensor-core `mma`. Some are illegal. */
export function fragments(from: Choices): Schedule {
  const { pick, maybe } = from;
  const mma = pick(TENSOR_SHAPES);
  const warp = { m: mma.m * pick([1, 1, 2, 2, 3, 4]), n: mma.n * pick([1, 2, 2, 3, 4, 8]) };
  const block = {
    m: warp.m * pick([1, 1, 2, 3]),
    n: warp.n * pick([1, 1, 2, 3]),
    k: mma.k * pick([1, 2, 2, 2, 3, 4]) + pick([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4]),
  };
  return {
    algorithm: 'mma',
    block,
    warp,
    mma,
    ...maybe(30, () => ({ vector: pick([1, 2, 4, 8, 8, 8] as const) })),
    ...maybe(20, () => ({ stages: pick([1, 2, 2, 2, 3, 4, 5]) })),
    ...maybe(40, () => ({ fragments: pick([1, 2] as const) })),
    ...maybe(20, () => ({ padding: { a: pick([0, 8, 8, 8, 16, 4]), b: pick([0, 0, 8, 8]) } })),
    ...maybe(10, () => ({ swizzle: pick(['none', 'xor'] as const) })),
    ...raster(from),
    ...occupancy(from),
  };
}

/** MMA shapes. The last shape is not an instruction shape. */
const TENSOR_SHAPES = [
  ...[16, 16, 16, 16, 16, 8, 8].map(k => ({ m: 16, n: 8, k })),
  { m: 16, n: 16, k: 16 },
];

/** Subgroup-matrix shapes. No adapter supports the last shape. */
const MATRICES = [
  ...[16, 16, 16, 8].map(k => ({ m: 16, n: 16, k })),
  { m: 16, n: 8, k: 16 },
  { m: 16, n: 8, k: 8 },
  { m: 8, n: 16, k: 16 },
  { m: 8, n: 8, k: 8 },
  { m: 8, n: 8, k: 8 },
  { m: 24, n: 8, k: 16 },
] as const;

/** Draws each field independently, even if the algorithm does not use it. */
export function arbitrary({ pick, between, maybe }: Choices): Schedule {
  const extent = (most: number): number => pick([...EXTENTS, between(1, most), most]);
  return {
    ...maybe(90, () => ({ algorithm: pick(FIRST_ALGORITHMS) })),
    ...maybe(60, () => ({
      block: {
        ...maybe(80, () => ({ m: extent(65_536) })),
        ...maybe(80, () => ({ n: extent(65_536) })),
        ...maybe(80, () => ({ k: extent(65_536) })),
      },
    })),
    ...maybe(30, () => ({ warp: { m: extent(65_536), n: extent(256) } })),
    ...maybe(40, () => ({
      thread: { m: extent(64), ...maybe(70, () => ({ n: extent(65_536) })) },
    })),
    ...maybe(30, () => ({ vector: pick([1, 2, 4, 8] as const) })),
    ...maybe(20, () => ({ stages: between(1, 16) })),
    ...maybe(20, () => ({ variant: pick(VARIANTS) })),
    ...maybe(20, () => ({ padding: { a: pick([0, 1, 1024]), b: between(0, 1024) } })),
    ...maybe(20, () => ({ swizzle: pick(['none', 'xor'] as const) })),
    ...maybe(20, () => ({ raster: { group: extent(65_536) } })),
    ...maybe(10, () => ({ splitK: extent(65_536) })),
    ...maybe(5, () => ({ splitKReduction: pick(SPLIT_K_REDUCTIONS) })),
    ...maybe(20, () => ({ minBlocksPerSm: between(1, 32) })),
    ...maybe(10, () => ({
      threadLayout: { a: pick(['(32,8):(1,32)', '(0,8):(1,1)', '', '(3,5)']) },
    })),
    ...maybe(5, () => ({ mma: { m: 16, n: 8, k: 8 } })),
    ...maybe(5, () => ({ cluster: { m: 2, n: 1 } })),
    ...maybe(5, () => ({ consumers: between(1, 3) })),
    ...maybe(5, () => ({ split: 'tf32x3' as const })),
  };
}
