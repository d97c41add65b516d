/**
 * The kernel as a list of coarse steps. Each optimization changes this list; lower.ts lowers each
 * step to statements.
 */
import type { Algorithm } from '../spec/schema';
import type { Copies, KernelFamily, LanedFamily, MmaFamily, Plan } from './plan';

export type Step =
  | { readonly op: 'zero' }
  /** Loop over K with one shared tile per iteration. */
  | { readonly op: 'tiles'; readonly body: readonly Step[] }
  /** Loop over k within a shared tile, or over all of K without shared memory. */
  | { readonly op: 'depth'; readonly body: readonly Step[] }
  | { readonly op: 'loadTile'; readonly operand: 'a' | 'b' }
  | { readonly op: 'barrier' }
  | { readonly op: 'loadFragment'; readonly operand: 'a' | 'b' }
  | { readonly op: 'multiplyAdd'; readonly from: 'global' | 'shared' | 'fragments' }
  | { readonly op: 'store' }
  /** Prologue of a pipeline, which loads the first tiles. */
  | { readonly op: 'fill' }
  /** Loop over K while later tiles are in flight. */
  | { readonly op: 'pipeline'; readonly body: readonly Step[] }
  /** Steps that are executed only if there is a later tile to load. */
  | { readonly op: 'ahead'; readonly body: readonly Step[] }
  /** Steps for the last tile, which is peeled from the loop over K. */
  | { readonly op: 'last'; readonly body: readonly Step[] }
  /** Loads a tile from global memory to registers, or stores it from registers to shared memory. */
  | { readonly op: 'fetchTile' | 'depositTile'; readonly operand: 'a' | 'b' }
  | { readonly op: 'commit' | 'wait' }
  /** k-steps with operands loaded directly from global memory (registerTile.ts). */
  | { readonly op: 'direct' }
  /** Reduction of the partial results of the threads along K, and store (gemv.ts). */
  | { readonly op: 'reduceThreads' }
  /** Pipeline whose copies, fragment loads and FMAs overlap (overlapped.ts). */
  | { readonly op: 'overlapped' };

const TILES = ['a', 'b'] as const;

const direct: readonly Step[] = [
  { op: 'zero' },
  { op: 'depth', body: [{ op: 'multiplyAdd', from: 'global' }] },
  { op: 'store' },
];

/**
 * Returns the steps with two barriers per tile: one before the tile is read, and one before it is
 * overwritten.
 */
const staged = (inner: readonly Step[]): readonly Step[] => [
  { op: 'zero' },
  {
    op: 'tiles',
    body: [
      { op: 'loadTile', operand: 'a' },
      { op: 'loadTile', operand: 'b' },
      { op: 'barrier' },
      { op: 'depth', body: inner },
      { op: 'barrier' },
    ],
  },
  { op: 'store' },
];

const fragments: readonly Step[] = [
  { op: 'loadFragment', operand: 'a' },
  { op: 'loadFragment', operand: 'b' },
  { op: 'multiplyAdd', from: 'fragments' },
];

/**
 * Steps of an asynchronous pipeline. One barrier per tile separates the last reads of a stage from
 * the copy that overwrites it.
 */
const asynchronous: readonly Step[] = [
  { op: 'zero' },
  { op: 'fill' },
  {
    op: 'pipeline',
    body: [
      { op: 'wait' },
      { op: 'barrier' },
      {
        op: 'ahead',
        body: [
          { op: 'loadTile', operand: 'a' },
          { op: 'loadTile', operand: 'b' },
        ],
      },
      { op: 'commit' },
      { op: 'depth', body: fragments },
    ],
  },
  { op: 'store' },
];

/**
 * Returns the steps that prefetch the next tile in registers during the FMAs and then store it to
 * shared memory. With one stage, a barrier precedes the store. The last tile is peeled from the
 * loop.
 */
const prefetched = (stages: number): readonly Step[] => [
  { op: 'zero' } as const,
  { op: 'fill' } as const,
  { op: 'barrier' } as const,
  {
    op: 'pipeline',
    body: [
      { op: 'ahead', body: TILES.map(operand => ({ op: 'fetchTile', operand })) },
      { op: 'depth', body: fragments },
      ...(stages === 1 ? [{ op: 'barrier' } as const] : []),
      { op: 'ahead', body: TILES.map(operand => ({ op: 'depositTile', operand })) },
      { op: 'barrier' },
    ],
  },
  { op: 'last', body: [{ op: 'depth', body: fragments }] },
  { op: 'store' },
];

/**
 * Steps of an asynchronous pipeline whose fragments are loaded one k-step ahead, also across tiles.
 * Copies are distributed over the k-steps.
 */
const overlapped: readonly Step[] = [
  { op: 'zero' } as const,
  { op: 'fill' } as const,
  { op: 'overlapped' } as const,
  { op: 'store' } as const,
];

/** Steps without shared memory, which need no waits or barriers. */
const inRegisters: readonly Step[] = [
  { op: 'zero' },
  { op: 'tiles', body: [{ op: 'direct' }] },
  { op: 'store' },
];

/** Steps of `gemv`: no shared tiles, and a reduction over the threads along K. */
const splitOverThreads: readonly Step[] = [
  { op: 'zero' },
  { op: 'tiles', body: [{ op: 'direct' }] },
  { op: 'reduceThreads' },
];

/**
 * Steps of WGSL `mma` kernels. The next tile is prefetched in registers and then stored to the
 * single shared-memory buffer. The last tile is peeled from the loop.
 */
const matrices: readonly Step[] = [
  { op: 'zero' },
  { op: 'fill' },
  { op: 'barrier' },
  {
    op: 'pipeline',
    body: [
      { op: 'fetchTile', operand: 'a' },
      { op: 'fetchTile', operand: 'b' },
      { op: 'depth', body: fragments },
      { op: 'barrier' },
      { op: 'depositTile', operand: 'a' },
      { op: 'depositTile', operand: 'b' },
      { op: 'barrier' },
    ],
  },
  { op: 'depth', body: fragments },
  { op: 'store' },
];

const STEPS: Readonly<Partial<Record<Algorithm, readonly Step[]>>> = {
  naive: direct,
  coalesced: direct,
  'shared-tile': staged([{ op: 'multiplyAdd', from: 'shared' }]),
  'thread-tile-1d': staged(fragments),
  'thread-tile-2d': staged(fragments),
  'register-tile': inRegisters,
  gemv: splitOverThreads,
  vectorized: staged(fragments),
  'warp-tile': staged(fragments),
  layout: staged(fragments),
  mma: matrices,
};

export function pipelineFor(plan: LanedFamily | MmaFamily): Pipeline {
  if (plan.family === 'mma') return plan.fragments;
  const { stages, copies, fragments: buffers } = plan.lanes;
  return { stages, copies, buffers };
}

/** Returns the pipeline of a kernel; null for scalar SIMT, WGSL `mma` and `wgmma` kernels. */
export function pipelineOf(plan: KernelFamily): Pipeline | null {
  switch (plan.family) {
    case 'simt':
      return plan.lanes === null ? null : pipelineFor(plan);
    case 'mma':
      return pipelineFor(plan);
    case 'subgroup-matrix':
    case 'wgmma':
      return null;
  }
}

export interface Pipeline {
  readonly stages: number;
  readonly copies: Copies;
  readonly buffers: 1 | 2;
}

/**
 * Returns whether the overlapped loop copies the last tile again past the end of K, so that it
 * needs no bounds check. The last tile must be full; only the first tile may be zero-filled.
 */
export function copiesAgain(plan: Plan): boolean {
  const { guards, split, spec, tile } = plan;
  const whole = !guards.k || (spec.problem.k > tile.k && split === undefined);
  return plan.family === 'mma' && plan.fragments.buffers === 2 && whole;
}

export function stepsOf(plan: Plan): readonly Step[] {
  const { copies, stages, buffers } = pipelineOf(plan) ?? {};
  if (copies === 'registers' && stages !== undefined) return prefetched(stages);
  const pipelined = buffers === 2 ? overlapped : asynchronous;
  const steps = copies === 'asynchronous' ? pipelined : STEPS[plan.algorithm];
  if (steps === undefined) throw new Error(`${plan.algorithm} has no steps`);
  return steps;
}
