/**
 * Registers of a thread before any compiler has seen the kernel. What is expected follows 329 schedules of the ranked space,
 * compiled with nvcc 13 for sm_90: of those that neither spill nor meet a limit, 16 registers off (root mean square).
 */
import { WARP_LANES } from '../hardware/warp';
import { DTYPE_BYTES, type DType } from '../types/dtype';
import type { ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import { fragmentPlanIn } from './family';
import type {
  BlockShape,
  MmaFamily,
  Shape,
  SimtFamily,
  StagedOperand,
  SubgroupMatrixFamily,
  WgmmaFamily,
} from './plan';

export interface Registers {
  /** Results, fragments and what a thread cannot do without: more than the architecture has is not legal. */
  readonly needed: number;
  /** What the compiler takes where nothing limits it. */
  readonly expected: number;
  /** Words that every depth reads or writes: kept in memory, they cost at each of them. */
  readonly inner: number;
}

const REGISTER_BYTES = 4;
/** On addresses, sizes and loop counters before any result: seen with nvcc 13 over the ladder. */
const OVERHEAD = 24;
/** The same from `vectorized` on: with nvcc 13 8 x 8 results take 123 to 130. */
const LANED_OVERHEAD = 32;
/** Of the loop over a tile's depth: its counter and where the fragments are. */
const INNER_OVERHEAD = 10;

/** Least squares over the compiled schedules. */
const EXPECTED = {
  overhead: 25,
  result: 0.91,
  fragment: 1.85,
  /** Addresses of an asynchronous copy, which the unrolled loop over a tile's elements keeps. */
  copy: 2.6,
  /** An element of the next tile that waits for its turn. */
  waiting: 0.85,
  swizzle: 13,
} as const;

/** Of every compute capability since 7.0. */
export const REGISTERS_PER_SM = 65_536;

export function registersOf({ problem }: ResolvedSpec, geometry: Shape): Registers {
  switch (geometry.family) {
    case 'simt':
      return simtRegisters(problem, geometry);
    case 'subgroup-matrix':
    case 'mma':
      return matrixRegisters(problem, geometry);
    case 'wgmma':
      return groupRegisters(geometry);
  }
}

function simtRegisters(
  { a, accumulator }: ResolvedProblem,
  { tile, thread, threads, lanes }: BlockShape & SimtFamily,
): Registers {
  // Pairs of f16 share a register where they are computed together.
  const perElement = Math.max(lanes === null ? 1 : 0, DTYPE_BYTES[accumulator] / REGISTER_BYTES);
  const results = thread.m * thread.n;
  const fragments = results === 1 ? 2 : thread.m + thread.n;
  const computed = Math.ceil(perElement * (results + fragments));
  if (lanes === null) {
    const needed = OVERHEAD + perElement * (results + fragments);
    return { needed, expected: needed, inner: needed };
  }
  // The compiler loads the next fragments while it multiplies, and a tile waits where there is no other copy.
  const elements = { a: (tile.m * tile.k) / threads, b: (tile.n * tile.k) / threads };
  const ahead = lanes.copies === 'registers' ? Math.ceil(elements.a + elements.b) : 0;
  const waiting = Math.ceil((ahead * DTYPE_BYTES[a.dtype]) / REGISTER_BYTES);
  const copies =
    lanes.copies === 'asynchronous'
      ? copiesOf(lanes.a, elements.a) + copiesOf(lanes.b, elements.b)
      : 0;
  const swizzled = lanes.a.swizzle > 1 || lanes.b.swizzle > 1;
  const expected =
    EXPECTED.overhead +
    perElement * (EXPECTED.result * results + EXPECTED.fragment * fragments) +
    EXPECTED.copy * copies +
    EXPECTED.waiting * waiting +
    (swizzled ? EXPECTED.swizzle : 0);
  return {
    needed: LANED_OVERHEAD + computed + Math.max(Math.ceil(perElement * fragments), waiting),
    expected: Math.round(expected),
    inner: INNER_OVERHEAD + computed,
  };
}

/** Sums of a depth, of pieces, that are under way at a time: of a matrix each, dealt to lanes. */
const PARTS = 4;
const SUMS_OF_LANE = 4;

/**
 * Of pieces those of B, which take the place of what they are made of, and of one matrix of A; and the sums of a depth. With
 * nvcc 13 the default schedules take 152 to 211 registers, and this says 152 to 180.
 *
 * Sums, the matrices of a depth and the next tile, each spread over the lanes of a warp or the threads of a block. */
function matrixRegisters(
  { a, b, accumulator }: ResolvedProblem,
  plan: BlockShape & (MmaFamily | SubgroupMatrixFamily),
): Registers {
  const { tile, threads } = plan;
  const { warp, shape } = plan.matrix;
  const words = (elements: number, dtype: DType): number =>
    (elements * DTYPE_BYTES[dtype]) / REGISTER_BYTES;
  const sums = words(warp.m * warp.n, accumulator) / WARP_LANES;
  const held = (words(warp.m * shape.k, a.dtype) + words(warp.n * shape.k, b.dtype)) / WARP_LANES;
  const fragments = fragmentPlanIn(plan);
  const { buffers = 1, copies = 'registers' } = fragments ?? {};
  const waiting =
    copies === 'asynchronous'
      ? 0
      : (words(tile.m * tile.k, a.dtype) + words(tile.n * tile.k, b.dtype)) / threads;
  const pieces = fragments?.pieces;
  const split =
    pieces === undefined
      ? 0
      : (pieces.count * words((shape.m + warp.n) * shape.k, pieces.dtype)) / WARP_LANES +
        PARTS * SUMS_OF_LANE -
        words(warp.n * shape.k, b.dtype) / WARP_LANES;
  const needed = Math.ceil(LANED_OVERHEAD + sums + buffers * held + split + waiting);
  return { needed, expected: needed, inner: Math.ceil(INNER_OVERHEAD + sums + held + split) };
}

/**
 * Of warp groups that share registers out anew, what a block is launched with: all that an SM has. Else sums, and what
 * producers and consumers alike need.
 */
function groupRegisters({ thread, threads, wgmma }: BlockShape & WgmmaFamily): Registers {
  const held = OVERHEAD + thread.m * thread.n;
  const whole = Math.floor(REGISTERS_PER_SM / threads / 8) * 8;
  const needed = wgmma.registers === undefined ? held : whole;
  return { needed, expected: needed, inner: needed };
}

/** Instructions of a thread that copy a tile: one an element where it is turned over on the way. */
const copiesOf = ({ transposed, width }: StagedOperand, elements: number): number =>
  elements / (transposed ? 1 : width);
