/**
 * Estimates the registers per thread before compilation. The estimate is fitted to 329 schedules of
 * the search space, compiled with nvcc 13 for sm_90. For schedules without spills or register
 * limits, the root-mean-square error is 16 registers.
 */
import { WARP_LANES } from '../hardware/warp';
import { DTYPE_BYTES, type DType } from '../types/dtype';
import { productsOf } from '../spec/epilogue';
import type { ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import { fragmentPlanIn } from './family';
import { MMA_SIDES } from './wgmma/tmaMma';
import { computedTile } from './wgmma/wgmma';
import { GROUP_ROWS } from './wgmma/wgmmaUnits';
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
  /**
   * Minimum number of registers: accumulators, fragments and unavoidable overhead. SIMT and `mma`
   * schedules are illegal if this number exceeds their register limit.
   */
  readonly needed: number;
  readonly expected: number;
  /** Number of registers that are accessed at every k-step. */
  readonly inner: number;
}

const REGISTER_BYTES = 4;
/**
 * Registers for addresses, problem dimensions and loop counters, measured with nvcc 13 for the
 * kernels of the ladder.
 */
const OVERHEAD = 24;
/**
 * Overhead of `register-tile` and later algorithms. With nvcc 13, kernels with 8 x 8 accumulators
 * use 123 to 130 registers.
 */
const LANED_OVERHEAD = 32;
/** Registers for the loop counter and fragment addresses of the loop over k within a tile. */
const INNER_OVERHEAD = 10;

/** Coefficients of a least-squares fit to the compiled schedules. */
const EXPECTED = {
  overhead: 25,
  result: 0.91,
  fragment: 1.85,
  /**
   * Number of registers per asynchronous copy, whose address stays in registers in the unrolled
   * copy loop.
   */
  copy: 2.6,
  /** Number of registers per word of the prefetched tile. */
  waiting: 0.85,
  swizzle: 13,
} as const;

/** Number of 32-bit registers per SM, equal for all compute capabilities since 7.0. */
export const REGISTERS_PER_SM = 65_536;

export function registersOf({ problem }: ResolvedSpec, geometry: Shape): Registers {
  switch (geometry.family) {
    case 'simt':
      return simtRegisters(problem, geometry);
    case 'subgroup-matrix':
    case 'mma':
      return matrixRegisters(problem, geometry);
    case 'wgmma':
      return groupRegisters(problem, geometry);
  }
}

/**
 * Overhead of `gemv`. With nvcc 13, schedules with minBlocksPerSm use 12 to 26 registers in
 * addition to the accumulators and the values of a k-iteration.
 */
const GEMV_OVERHEAD = 20;

/** Estimates the registers of `gemv`, which keep all values of a k-iteration. */
export function gemvRegistersPerThread(
  { a, b, accumulator }: Pick<ResolvedProblem, 'a' | 'b' | 'accumulator'>,
  {
    thread,
    depth,
    products = 1,
  }: {
    readonly thread: BlockShape['thread'];
    readonly depth: number;
    /** Number of B matrices: 2 with a gate. */
    readonly products?: 1 | 2;
  },
): number {
  const bytes =
    depth * (thread.m * DTYPE_BYTES[a.dtype] + products * thread.n * DTYPE_BYTES[b.dtype]) +
    products * thread.m * thread.n * Math.max(REGISTER_BYTES, DTYPE_BYTES[accumulator]);
  return GEMV_OVERHEAD + Math.ceil(bytes / REGISTER_BYTES);
}

function simtRegisters(
  problem: ResolvedProblem,
  { tile, thread, threads, lanes }: BlockShape & SimtFamily,
): Registers {
  const { a, b, accumulator } = problem;
  const products = productsOf(problem);
  // Packed f16 instructions keep two accumulators per register.
  const perElement = Math.max(lanes === null ? 1 : 0, DTYPE_BYTES[accumulator] / REGISTER_BYTES);
  // A gate has a second B, with fragments and accumulators of its own.
  const results = products * thread.m * thread.n;
  const fragments = thread.m * thread.n === 1 ? 1 + products : thread.m + products * thread.n;
  const computed = Math.ceil(perElement * (results + fragments));
  if (lanes === null) {
    const needed = OVERHEAD + perElement * (results + fragments);
    return { needed, expected: needed, inner: needed };
  }
  if (lanes.gemv !== undefined) {
    const { depth } = lanes.gemv;
    const needed = gemvRegistersPerThread({ a, b, accumulator }, { thread, depth, products });
    return { needed, expected: needed, inner: needed };
  }
  // The compiler loads the next fragments during the FMAs. A tile that is prefetched in registers
  // also occupies registers.
  const elements = { a: (tile.m * tile.k) / threads, b: (products * tile.n * tile.k) / threads };
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

/**
 * Number of split products in flight per k-step with FP32 emulation. Each is one matrix,
 * distributed over the lanes.
 */
const PARTIAL_PRODUCTS = 4;
const ACCUMULATORS_PER_LANE = 4;

/**
 * Estimates the registers per thread of matrix kernels. The estimate adds the accumulators, the
 * matrices of a k-step, the prefetched tile and a fixed overhead.
 *
 * FP32 emulation adds the terms of B (which replace the loaded values), the terms of one A matrix,
 * and the split products of a k-step. With nvcc 13, the default schedules of FP32 emulation use 152
 * to 211 registers; the estimates are 152 to 180.
 */
function matrixRegisters(
  problem: ResolvedProblem,
  plan: BlockShape & (MmaFamily | SubgroupMatrixFamily),
): Registers {
  const { a, b, accumulator } = problem;
  const { threads } = plan;
  const { shape } = plan.matrix;
  // A gate has a second B, with fragments and accumulators of its own.
  const products = productsOf(problem);
  const warp = { ...plan.matrix.warp, n: products * plan.matrix.warp.n };
  const tile = { ...plan.tile, n: products * plan.tile.n };
  const words = (elements: number, dtype: DType): number =>
    (elements * DTYPE_BYTES[dtype]) / REGISTER_BYTES;
  const accumulators = words(warp.m * warp.n, accumulator) / WARP_LANES;
  const held = (words(warp.m * shape.k, a.dtype) + words(warp.n * shape.k, b.dtype)) / WARP_LANES;
  const fragments = fragmentPlanIn(plan);
  const { buffers = 1, copies = 'registers' } = fragments ?? {};
  const waiting =
    copies === 'asynchronous'
      ? 0
      : (words(tile.m * tile.k, a.dtype) + words(tile.n * tile.k, b.dtype)) / threads;
  const emulation = fragments?.fp32Emulation;
  const split =
    emulation === undefined
      ? 0
      : (emulation.count * words((shape.m + warp.n) * shape.k, emulation.dtype)) / WARP_LANES +
        PARTIAL_PRODUCTS * ACCUMULATORS_PER_LANE -
        words(warp.n * shape.k, b.dtype) / WARP_LANES;
  const needed = Math.ceil(LANED_OVERHEAD + accumulators + buffers * held + split + waiting);
  return {
    needed,
    expected: needed,
    inner: Math.ceil(INNER_OVERHEAD + accumulators + held + split),
  };
}

/** Registers per lane of the fragments of a 16 x 8 instruction with 32 bytes of K. */
const FRAGMENT_WORDS = { a: 4, b: 2 } as const;
/**
 * Registers per accumulator of `mma` with `kernelSchedule` `tma`. With nvcc 13, 40 such kernels use
 * 54 to 255 registers. The compiler loads all fragments of a k-step early if registers are left, so
 * that no kernel spills.
 */
const TMA_MMA_RESULT = 1.15;
const MAX_REGISTERS = 255;

/**
 * Estimates the registers per thread of `wgmma` kernels. With setmaxnreg, the launch divides the
 * registers of an SM equally among the threads. Otherwise, a thread needs its accumulators, with
 * `mma` also fragments, and a fixed overhead.
 */
function groupRegisters(
  problem: ResolvedProblem,
  { tile, thread, threads, wgmma }: BlockShape & WgmmaFamily,
): Registers {
  const accumulators = productsOf(problem) * thread.m * thread.n;
  const held = OVERHEAD + accumulators;
  if (wgmma.instruction === 'mma') {
    const { m, n } = computedTile(wgmma, tile);
    const fragmentsA = (m / GROUP_ROWS) * FRAGMENT_WORDS.a;
    const fragmentsB = ((productsOf(problem) * n) / MMA_SIDES.n) * FRAGMENT_WORDS.b;
    const needed = held + fragmentsA + 2 * FRAGMENT_WORDS.b;
    const expected = Math.round(OVERHEAD + TMA_MMA_RESULT * accumulators + fragmentsA + fragmentsB);
    return { needed, expected: Math.min(MAX_REGISTERS, expected), inner: needed };
  }
  const whole = Math.floor(REGISTERS_PER_SM / threads / 8) * 8;
  const needed = wgmma.registers === undefined ? held : whole;
  return { needed, expected: needed, inner: needed };
}

/**
 * Returns the number of copy instructions per thread and tile: one per element if the copy
 * transposes.
 */
const copiesOf = ({ transposed, width }: StagedOperand, elements: number): number =>
  elements / (transposed ? 1 : width);
