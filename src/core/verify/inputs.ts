/**
 * Generates matrices from a seed. Element i of an operand depends only on (seed, operand, i), so
 * every backend, including GPU code, generates the same inputs locally.
 */
import { epilogueOperands, EPILOGUE_OPERANDS, type EpilogueName } from '../spec/epilogue';
import {
  buffersOf,
  operandOf,
  spanElements,
  type BufferName,
  type ResolvedProblem,
} from '../spec/resolved';
import { isInteger, type DType } from '../types/dtype';

/** Arbitrary odd constants that separate the random streams of the operands. */
const SALT = { a: 0x9e3779b1, b: 0x85ebca6b, c: 0xc2b2ae35 } as const;
const EPILOGUE_SALT = 0x27d4eb2f;

const saltOf = (operand: BufferName): number =>
  operand === 'a' || operand === 'b' || operand === 'c'
    ? SALT[operand]
    : EPILOGUE_SALT + 2 * EPILOGUE_OPERANDS.indexOf(operand);

/**
 * Computes the PCG output permutation over a 32-bit LCG step (Jarzynski and Olano, JCGT 9(3), 2020,
 * "pcg").
 */
export function pcgHash(input: number): number {
  const state = (Math.imul(input, 747796405) + 2891336453) >>> 0;
  const word = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277803737) >>> 0;
  return ((word >>> 22) ^ word) >>> 0;
}

/** Returns the stream of an operand; the hash of element i is pcgHash(i ^ stream). */
export const streamOf = (operand: BufferName, seed: number): number =>
  pcgHash((seed ^ saltOf(operand)) >>> 0);

/**
 * Returns the number of random bits of a float that is uniform in [-1, 1): as many as the type
 * represents exactly, at most 24. Returns 0 for small integers.
 */
export function inputBits(dtype: DType): number {
  return INPUT_BITS[dtype] ?? 24;
}
const INPUT_BITS: Readonly<Partial<Record<DType, number>>> = {
  s8: 0,
  s32: 0,
  f16: 11,
  tf32: 11,
  bf16: 8,
  e4m3: 4,
  e5m2: 3,
};

const toFloat =
  (bits: number) =>
  (hash: number): number =>
    (hash >>> (32 - bits)) * 2 ** (1 - bits) - 1;

/**
 * Converts a hash to an integer in [-8, 8]; sums of fewer than 2^25 products do not overflow 32
 * bits.
 */
const toInteger = (hash: number): number => (hash % 17) - 8;

/**
 * Matrix elements as numbers. 16-bit and 8-bit floats are in an f32 array, which represents them
 * exactly.
 */
export type MatrixData =
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>;

/** Maximum number of elements that a matrix may span in host memory. */
const MAX_ELEMENTS = 2 ** 27;

/**
 * Returns an error message if a matrix spans too much memory to be generated on the host, for
 * example with a large leading dimension. Otherwise returns undefined.
 */
export function tooLargeText(problem: ResolvedProblem): string | undefined {
  const wide = buffersOf(problem).find(name => spanElements(problem, name) > MAX_ELEMENTS);
  if (wide === undefined) return undefined;
  const spanned = spanElements(problem, wide);
  return `${wide.toUpperCase()} spans ${spanned} elements of memory; the limit for verification is ${MAX_ELEMENTS}. Fix: choose a smaller size, leading dimension, batch or batch stride.`;
}

/** Returns a function that computes element i of an operand independently of the other elements. */
export function inputAt(
  problem: ResolvedProblem,
  operand: BufferName,
  seed: number,
): (index: number) => number {
  const { dtype } = operandOf(problem, operand);
  const stream = streamOf(operand, seed);
  const convert = isInteger(dtype) ? toInteger : toFloat(inputBits(dtype));
  return index => convert(pcgHash((index ^ stream) >>> 0));
}

/**
 * Generates all elements that an operand spans in memory, including padding between rows or
 * columns.
 */
export function fillMatrix(
  problem: ResolvedProblem,
  operand: BufferName,
  seed: number,
): MatrixData {
  const { dtype } = operandOf(problem, operand);
  const data = allocate(dtype, spanElements(problem, operand));
  const at = inputAt(problem, operand, seed);
  for (let i = 0; i < data.length; i++) data[i] = at(i);
  return data;
}

/** Generates all operands of the epilogue. */
export const epilogueData = (
  problem: ResolvedProblem,
  seed: number,
): Readonly<Partial<Record<EpilogueName, MatrixData>>> =>
  Object.fromEntries(
    epilogueOperands(problem).map(({ name }) => [name, fillMatrix(problem, name, seed)]),
  );

/**
 * Generates C filled with poison for a kernel that must not read it: NaN, or `INTEGER_POISON` for
 * integers.
 */
export function poisonMatrix(problem: ResolvedProblem): MatrixData {
  const { dtype } = problem.c;
  return allocate(dtype, spanElements(problem, 'c')).fill(isInteger(dtype) ? INTEGER_POISON : NaN);
}
export const INTEGER_POISON = -0x5a5a5a5b;

function allocate(dtype: DType, length: number): MatrixData {
  if (dtype === 'f64') return new Float64Array(length);
  if (dtype === 's8') return new Int8Array(length);
  return dtype === 's32' ? new Int32Array(length) : new Float32Array(length);
}

export const inputsText = (problem: ResolvedProblem): string =>
  isInteger(problem.a.dtype) ? 'uniform integers -8..8' : 'uniform [-1, 1)';
