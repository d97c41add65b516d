/**
 * Mapping of accumulators to warps and lanes, and access widths, for `vectorized` and later
 * algorithms. Widths of the schedule are reduced where addresses would be misaligned.
 */
import { DTYPE_BYTES } from '../../types/dtype';
import {
  extent,
  type OperandName,
  type ResolvedProblem,
  type ResolvedSpec,
} from '../../spec/resolved';
import { gateOf, productsOf } from '../../spec/epilogue';
import type { Algorithm, Target } from '../../spec/schema';
import { threadLayoutsOf } from '../threadLayout';
import type { Copies, LanePlan, LaneScratch, StagedOperand } from '../plan';
import { hasAsynchronousCopies } from '../limits';

export const LANED: readonly Algorithm[] = [
  'register-tile',
  'gemv',
  'vectorized',
  'warp-tile',
  'pipelined',
  'layout',
];
export const isLaned = (algorithm: Algorithm): boolean => LANED.includes(algorithm);

/** Bytes of the widest access (CUDA C++ Programming Guide, "Device Memory Accesses"). */
export const WIDEST_BYTES = 16;
const WGSL_WIDEST = 4;

export const widest = (bytes: number, target: Target): number =>
  Math.min(Math.max(1, WIDEST_BYTES / bytes), target === 'wgsl' ? WGSL_WIDEST : WIDEST_BYTES);

/** Returns the largest power of two that is at most `most` and divides all numbers. */
export function aligned(most: number, numbers: readonly number[]): number {
  let width = 2 ** Math.floor(Math.log2(most));
  while (width > 1 && numbers.some(number => number % width !== 0)) width /= 2;
  return width;
}

/** Bytes of one word from each of the 32 shared-memory banks. */
const BANK_ROW_BYTES = 128;

interface Tiles {
  readonly tile: { readonly m: number; readonly n: number; readonly k: number };
  readonly thread: { readonly m: number; readonly n: number };
}

export function lanePlan(spec: ResolvedSpec, target: Target, tiles: Tiles): LanePlan | null {
  const { problem, schedule } = spec;
  if (!isLaned(schedule.algorithm)) return null;
  const { tile, thread } = tiles;
  const layouts = schedule.algorithm === 'layout' ? threadLayoutsOf(schedule) : null;
  const warp = { m: schedule.warp?.m ?? tile.m, n: schedule.warp?.n ?? tile.n };
  const vector = schedule.vector ?? 1;
  const most = (operand: OperandName) =>
    Math.min(vector, widest(DTYPE_BYTES[problem[operand].dtype], target));
  const group = { m: aligned(most('a'), [thread.m]), n: aligned(most('b'), [thread.n]) };
  const c = extent(problem, 'c');
  const along = problem.c.layout === 'row' ? c.columns : c.rows;
  const stored = storeWidth(spec, problem.c.layout === 'row' ? group.n : group.m, {
    along,
    target,
  });
  const stagedBy = (copies: Copies, operand: 'a' | 'b') =>
    stagedOperand(spec, {
      target,
      operand,
      most: most(operand),
      copies,
      group,
      tile,
      thread,
      stored,
    });
  const prefetched = schedule.algorithm === 'pipelined';
  const asynchronous = prefetched && target === 'cuda' && hasAsynchronousCopies(spec);
  const narrow = asynchronous
    ? tooNarrow(spec, operand => stagedBy('asynchronous', operand))
    : undefined;
  const copies: Copies = !prefetched
    ? schedule.prefetch === 'registers'
      ? 'registers'
      : 'direct'
    : asynchronous && narrow === undefined
      ? 'asynchronous'
      : 'registers';
  const staged = (operand: 'a' | 'b') => stagedBy(copies, operand);
  const lanes = { m: warp.m / thread.m, n: warp.n / thread.n };
  const scratch =
    prefetched && target === 'cuda'
      ? scratchOf(spec, { tile, warp, lanes, group, stored })
      : undefined;
  return {
    warp,
    lanes,
    quads: schedule.fragments === 2 && lanes.m % 2 === 0 && lanes.n % 2 === 0,
    group,
    vector,
    copies,
    stages: schedule.stages ?? 1,
    fragments: schedule.fragments ?? 1,
    ...(schedule.traversal === undefined ? {} : { traversal: schedule.traversal }),
    ...(narrow === undefined ? {} : { tooNarrow: narrow }),
    ...(layouts === null ? {} : { threadLayouts: layouts }),
    a: staged('a'),
    b: staged('b'),
    storeWidth: scratch === undefined ? stored : 1,
    ...(scratch === undefined ? {} : { scratch }),
  };
}

const BANKS = BANK_ROW_BYTES / 4;

/**
 * Returns the staging buffer of C if rows of C are not aligned to the groups of accumulators of a
 * thread. Without the buffer, the stores of a warp would be scattered over four times as many
 * sectors. The padding places two adjacent lines in different halves of the banks.
 */
function scratchOf(
  { problem, schedule }: ResolvedSpec,
  of: Pick<LanePlan, 'warp' | 'lanes' | 'group'> &
    Pick<Tiles, 'tile'> & { readonly stored: number },
): LaneScratch | undefined {
  const { tile, warp, lanes, group, stored } = of;
  const [outer, inner] = problem.c.layout === 'row' ? (['m', 'n'] as const) : (['n', 'm'] as const);
  if (schedule.warp === undefined || schedule.splitKReduction === 'atomic') return undefined;
  if (stored >= group[inner]) return undefined;
  const bytes = DTYPE_BYTES[problem.accumulator];
  const padding = (BANKS + BANKS / 2 - (warp[inner] % BANKS)) % BANKS;
  const line = warp[inner] + padding;
  const products = productsOf(problem);
  const before =
    stagedBytes({ problem, schedule }, tile, 'a') +
    products * stagedBytes({ problem, schedule }, tile, 'b');
  const warps = (tile.m / warp.m) * (tile.n / warp.n);
  return {
    padding,
    width: aligned(Math.min(group[inner], WIDEST_BYTES / bytes), [before / bytes, line]),
    // Slices of split-K store the partial results of both products of a gate.
    bytes: ((schedule.splitK ?? 1) > 1 ? products : 1) * warps * lanes[outer] * line * bytes,
  };
}

/** Returns the bytes of all stages of a tile that is stored K-outermost. */
const stagedBytes = (
  { problem, schedule }: Pick<ResolvedSpec, 'problem' | 'schedule'>,
  tile: Tiles['tile'],
  operand: 'a' | 'b',
): number =>
  (schedule.stages ?? 1) *
  tile.k *
  ((operand === 'a' ? tile.m : tile.n) + (schedule.padding?.[operand] ?? 0)) *
  DTYPE_BYTES[problem[operand].dtype];

/**
 * Returns the number of elements per store to C or to the workspace. Atomic additions access single
 * elements.
 */
export function storeWidth(
  { problem, schedule }: ResolvedSpec,
  group: number,
  { along, target }: { readonly along: number; readonly target: Target },
): number {
  const split = (schedule.splitK ?? 1) > 1;
  if (split && schedule.splitKReduction === 'atomic') return 1;
  const most = Math.min(
    group,
    schedule.vector ?? 1,
    widest(DTYPE_BYTES[split ? problem.accumulator : problem.c.dtype], target),
  );
  const gaps = split ? [] : [problem.c.ld, ...furtherStrides(problem, 'c')];
  return aligned(most, [along, ...gaps]);
}

/**
 * Returns the strides besides the leading dimension that must be multiples of the access width: the
 * batch stride, and for B the strides of the second B of a gate, which is loaded in the same way.
 */
export function furtherStrides(
  problem: ResolvedProblem,
  operand: 'a' | 'b' | 'c',
): readonly number[] {
  const { batch } = problem;
  const gate = operand === 'b' ? gateOf(problem) : undefined;
  const matrices = [problem[operand], ...(gate === undefined ? [] : [gate])];
  return [
    ...(gate === undefined ? [] : [gate.ld]),
    ...(batch === 1 ? [] : matrices.map(({ batchStride }) => batchStride)),
  ];
}

/** Minimum bytes of an asynchronous copy (PTX ISA, "cp.async": 4, 8 or 16). */
export const NARROWEST_COPY_BYTES = 4;

/**
 * Returns the first operand whose accesses are too narrow for asynchronous copies; undefined if
 * both are wide enough.
 */
function tooNarrow(
  { problem }: ResolvedSpec,
  staged: (operand: 'a' | 'b') => StagedOperand,
): LanePlan['tooNarrow'] {
  return (['a', 'b'] as const)
    .map(operand => ({
      operand,
      bytes: staged(operand).width * DTYPE_BYTES[problem[operand].dtype],
    }))
    .find(({ bytes }) => bytes < NARROWEST_COPY_BYTES);
}

function stagedOperand(
  spec: ResolvedSpec,
  given: {
    readonly target: Target;
    readonly operand: 'a' | 'b';
    readonly most: number;
    readonly copies: Copies;
    readonly group: LanePlan['group'];
    readonly stored: number;
  } & Tiles,
): StagedOperand {
  const { target, operand, most, copies, tile } = given;
  const { problem, schedule } = spec;
  const { layout, ld, dtype } = problem[operand];
  const bytes = DTYPE_BYTES[dtype];
  const { rows, columns } = extent(problem, operand);
  const kIsContiguous = (operand === 'a') === (layout === 'row');
  const side = operand === 'a' ? tile.m : tile.n;
  const group = operand === 'a' ? given.group.m : given.group.n;
  const row = side + (schedule.padding?.[operand] ?? 0);
  // Bs is stored after As in shared memory.
  const before = operand === 'a' ? 0 : stagedBytes(spec, tile, 'a') / bytes;
  const contiguous = [ld, layout === 'row' ? columns : rows, kIsContiguous ? tile.k : side];
  contiguous.push(...furtherStrides(problem, operand));
  const chunks = Math.min(BANK_ROW_BYTES / bytes / group, 8);
  const swizzle = schedule.swizzle === 'xor' && kIsContiguous ? aligned(chunks, [side / group]) : 1;
  if (kIsContiguous) {
    // Asynchronous copies bypass registers, so a transposing copy handles single elements.
    const width = copies === 'asynchronous' ? 1 : aligned(most, contiguous);
    if (target === 'cuda') {
      const fragment = aligned(group, [row, before]);
      return { transposed: true, width, loadsPerStore: 1, fragment, fragmentStride: 1, swizzle };
    }
    // WGSL arrays have one element type, so stores are as wide as fragments. A thread therefore
    // transposes a block with as many rows as a fragment has elements.
    const fragment = aligned(group, [side, row]);
    // Prefetched elements are loaded one by one into the vectors that will be stored. Wider loads
    // would require another transpose in registers.
    const loaded =
      copies === 'registers' ? 1 : sharedOut(width, (side * tile.k) / fragment, threadsOf(given));
    return {
      transposed: true,
      width: loaded,
      loadsPerStore: fragment,
      fragment,
      fragmentStride: 1,
      swizzle,
    };
  }
  const width = aligned(most, [...contiguous, row, before]);
  if (target === 'cuda') {
    const fragment = aligned(group, [row, before]);
    return { transposed: false, width, loadsPerStore: 1, fragment, fragmentStride: 1, swizzle };
  }
  // WGSL arrays have one element type, so all accesses to a shared tile have the same width.
  const fragment = aligned(group, [side, row]);
  const loaded = Math.min(width, fragment);
  const alone = loaded === 1 && fragment === group && schedule.algorithm !== 'layout';
  const stored = problem.c.layout === (operand === 'a' ? 'col' : 'row') ? given.stored : 1;
  const fragmentStride = alone && stored === 1 ? side / fragment : 1;
  return {
    transposed: false,
    width: loaded,
    loadsPerStore: fragment / loaded,
    fragment,
    fragmentStride,
    swizzle,
  };
}

const threadsOf = ({ tile, thread }: Tiles): number => (tile.m * tile.n) / (thread.m * thread.n);

/**
 * Returns the access width, halved while some threads have no load. Narrower loads by all threads
 * cost less than wider loads by half of the threads.
 */
const sharedOut = (width: number, columns: number, threads: number): number =>
  width > 1 && columns / width < threads ? sharedOut(width / 2, columns, threads) : width;

/**
 * Returns the number of elements that a thread copies at a time, along M or N (`side`) and along K
 * (`depth`).
 */
export const stagingUnitOf = ({
  transposed,
  width,
  loadsPerStore,
}: StagedOperand): { readonly side: number; readonly depth: number } =>
  transposed ? { side: loadsPerStore, depth: width } : { side: width * loadsPerStore, depth: 1 };

type Lanes = Pick<LanePlan, 'lanes' | 'quads'>;

export function positionOfLane(
  lane: number,
  { lanes, quads }: Lanes,
): { readonly m: number; readonly n: number } {
  if (!quads) return { m: Math.floor(lane / lanes.n), n: lane % lanes.n };
  const pair = Math.floor(lane / 4) % (lanes.n / 2);
  return {
    m: (Math.floor(lane / 2) % 2) + Math.floor(lane / (2 * lanes.n)) * 2,
    n: (lane % 2) + pair * 2,
  };
}

export const laneAt = (m: number, n: number, { lanes, quads }: Lanes): number =>
  quads
    ? (n % 2) + (m % 2) * 2 + Math.floor(n / 2) * 4 + Math.floor(m / 2) * 2 * lanes.n
    : m * lanes.n + n;
