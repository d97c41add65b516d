/**
 * Families of random problems, and the distribution of their extents. A seed draws the same problem
 * on every machine.
 */
import type { DType } from '../../../src/core/types/dtype';
import type { GemmSpec, Layout } from '../../../src/core/spec/schema';
import { choicesOf, type Choices } from '../../../scripts/grid/choices';

type Extents = Readonly<Record<'m' | 'n' | 'k', number>>;
type Limits = Readonly<Record<'least' | 'most', number>>;

export interface Family {
  readonly dtype: DType;
  /** Layouts of A and B, drawn with equal probability. */
  readonly layouts: readonly (readonly [a: Layout, b: Layout])[];
  readonly extents: (from: Choices) => Extents;
}

const NN = ['row', 'row'] as const;
const TN = ['row', 'col'] as const;

/** Extents are log-uniform between these limits, and drawn again until the work is in `FLOP`. */
const EXTENT = { least: 64, most: 16_384 } as const;
const FLOP = { least: 5e8, most: 3e12 } as const;
const STEP = 8;
const RESOLUTION = 2 ** 24;

const logUniform = ({ between }: Choices, { least, most }: Limits = EXTENT): number =>
  least * (most / least) ** (between(0, RESOLUTION) / RESOLUTION);

/**
 * Returns a drawing of general shapes. The extents are any integers with the given probability, and
 * multiples of `STEP` otherwise.
 */
const general =
  (unalignedPercent: number) =>
  (from: Choices): Extents => {
    const step = from.between(1, 100) <= unalignedPercent ? 1 : STEP;
    const side = (): number => step * Math.round(logUniform(from) / step);
    for (;;) {
      const [m, n, k] = [side(), side(), side()];
      const flop = 2 * m * n * k;
      if (flop >= FLOP.least && flop <= FLOP.most) return { m, n, k };
    }
  };

/** Columns and K extents of the weights of public language models (config.json of each model). */
const WEIGHTS = [
  // Llama 3.1 8B: query, key and value; output; gate and up; down; vocabulary.
  [6144, 4096],
  [4096, 4096],
  [28_672, 4096],
  [4096, 14_336],
  [128_256, 4096],
  // Llama 3.1 70B: query, key and value; output; gate and up; down.
  [10_240, 8192],
  [8192, 8192],
  [57_344, 8192],
  [8192, 28_672],
  // Qwen2.5 7B: query, key and value; output; gate and up; down.
  [4608, 3584],
  [3584, 3584],
  [37_888, 3584],
  [3584, 18_944],
] as const;

/** The same of models that no fit includes, to judge the defaults of few rows. */
const UNFITTED_WEIGHTS = [
  // Gemma 2 9B: query, key and value; output; gate and up; down; vocabulary.
  [8192, 3584],
  [3584, 4096],
  [28_672, 3584],
  [3584, 14_336],
  [256_000, 3584],
  // Phi-3 mini: query, key and value; output; gate and up; down; vocabulary.
  [9216, 3072],
  [3072, 3072],
  [16_384, 3072],
  [3072, 8192],
  [32_064, 3072],
  // Qwen2.5 14B: query, key and value; output; gate and up; down; vocabulary.
  [7168, 5120],
  [5120, 5120],
  [27_648, 5120],
  [5120, 13_824],
  [152_064, 5120],
] as const;
const MAX_TOKENS = 16;

/** Draws a layer of a language model that decodes up to `MAX_TOKENS` tokens. */
const decodingOf =
  (layers: readonly (readonly [n: number, k: number])[]) =>
  (from: Choices): Extents => {
    const [n, k] = from.pick(layers);
    return { m: from.between(1, MAX_TOKENS), n, k };
  };
const decoding = decodingOf(WEIGHTS);

/** Range of random weights, from a layer of a small model to a vocabulary. */
const WEIGHT = { n: { least: 2048, most: 131_072 }, k: { least: 1024, most: 32_768 } } as const;
const WEIGHT_ELEMENTS = { least: 8e6, most: 6e8 } as const;

/** Draws random weights with up to `MAX_TOKENS` rows of activations. */
const weights = (from: Choices): Extents => {
  const side = (limits: Limits): number => STEP * Math.round(logUniform(from, limits) / STEP);
  for (;;) {
    const [n, k] = [side(WEIGHT.n), side(WEIGHT.k)];
    const { least, most } = WEIGHT_ELEMENTS;
    if (n * k >= least && n * k <= most) return { m: from.between(1, MAX_TOKENS), n, k };
  }
};

/** Elements of the weights of matrix-vector products that exceed every cache. */
const VECTOR_ELEMENTS = 1.28e8;

/** Draws one token with at least 256 MB of 2-byte weights. */
const vector = (from: Choices): Extents => {
  for (;;) {
    const drawn = { ...weights(from), m: 1 };
    if (drawn.n * drawn.k >= VECTOR_ELEMENTS) return drawn;
  }
};

/** Range of N and K of random matrices with few rows. */
const FLAT = { least: 512, most: 32_768 } as const;

/** Draws up to `MAX_TOKENS` rows, with any weights. */
const flat = (from: Choices): Extents => {
  const side = (): number => STEP * Math.round(logUniform(from, FLAT) / STEP);
  return { m: from.between(1, MAX_TOKENS), n: side(), k: side() };
};

/** Draws the same matrices with few columns. */
const thin = (from: Choices): Extents => {
  const { m, n, k } = flat(from);
  return { m: n, n: m, k };
};

/** Range and step of the side of square problems. */
const SQUARE = { least: 4096, most: 16_384, step: 256 } as const;

const square = ({ between }: Choices): Extents => {
  const { least, most, step } = SQUARE;
  const side = step * between(least / step, most / step);
  return { m: side, n: side, k: side };
};

const PROMPT_TOKENS = [256, 512, 1024, 2048, 4096, 8192] as const;

/** Draws a layer of a language model that processes a prompt. */
const prefill = (from: Choices): Extents => {
  const [n, k] = from.pick(WEIGHTS);
  return { m: from.pick(PROMPT_TOKENS), n, k };
};

const POWERS = [1024, 2048, 4096, 8192, 16_384] as const;

/** Draws a square problem whose side is a power of two. */
const power = ({ pick }: Choices): Extents => {
  const side = pick(POWERS);
  return { m: side, n: side, k: side };
};

/** Draws the same layers with the tokens along N. */
const narrow = (from: Choices): Extents => {
  const { m, n, k } = decoding(from);
  return { m: n, n: m, k };
};

export const FAMILIES = {
  f32: {
    dtype: 'f32',
    layouts: [NN, TN, ['col', 'row'], ['col', 'col']],
    extents: general(50),
  },
  bf16: { dtype: 'bf16', layouts: [TN, NN], extents: general(25) },
  f16: { dtype: 'f16', layouts: [TN, NN], extents: general(25) },
  tf32: { dtype: 'tf32', layouts: [TN], extents: general(0) },
  e4m3: { dtype: 'e4m3', layouts: [TN], extents: general(0) },
  'bf16-squares': { dtype: 'bf16', layouts: [TN], extents: square },
  'bf16-powers': { dtype: 'bf16', layouts: [TN, NN], extents: power },
  'tf32-powers': { dtype: 'tf32', layouts: [TN], extents: power },
  'e4m3-powers': { dtype: 'e4m3', layouts: [TN], extents: power },
  'bf16-prefill': { dtype: 'bf16', layouts: [TN, NN], extents: prefill },
  'bf16-decoding': { dtype: 'bf16', layouts: [TN, NN], extents: decoding },
  'bf16-unfitted-decoding': {
    dtype: 'bf16',
    layouts: [TN, NN],
    extents: decodingOf(UNFITTED_WEIGHTS),
  },
  'bf16-vector': { dtype: 'bf16', layouts: [TN, NN], extents: vector },
  'bf16-weights': { dtype: 'bf16', layouts: [TN, NN], extents: weights },
  'f16-weights': { dtype: 'f16', layouts: [TN, NN], extents: weights },
  'tf32-weights': { dtype: 'tf32', layouts: [TN], extents: weights },
  'e4m3-weights': { dtype: 'e4m3', layouts: [TN], extents: weights },
  'bf16-flat': { dtype: 'bf16', layouts: [TN, NN], extents: flat },
  'bf16-thin': { dtype: 'bf16', layouts: [TN, NN], extents: thin },
  'tf32-flat': { dtype: 'tf32', layouts: [TN], extents: flat },
  'e4m3-flat': { dtype: 'e4m3', layouts: [TN], extents: flat },
  'f16-decoding': { dtype: 'f16', layouts: [TN, NN], extents: decoding },
  'f32-decoding': { dtype: 'f32', layouts: [TN, NN], extents: decoding },
  'f32-narrow': { dtype: 'f32', layouts: [TN, NN], extents: narrow },
  wgsl: { dtype: 'f32', layouts: [NN], extents: general(50) },
} as const satisfies Readonly<Record<string, Family>>;
export type FamilyName = keyof typeof FAMILIES;

export function randomProblem(
  { dtype, layouts, extents }: Family,
  seed: number,
): GemmSpec['problem'] {
  const from = choicesOf(seed);
  const [a, b] = from.pick(layouts);
  const { m, n, k } = extents(from);
  return {
    m,
    n,
    k,
    a: { dtype, layout: a },
    b: { dtype, layout: b },
    ...(dtype === 'e4m3' ? { c: { dtype: 'bf16' } } : {}),
  };
}
