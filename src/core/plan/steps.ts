/**
 * The schedule as a dozen coarse operations. Optimizations change this list; lower.ts implements
 * the operations.
 */
import type { Algorithm } from '../spec/schema';
import type { Copies, KernelFamily, LanedFamily, MmaFamily, Plan } from './plan';

export type Step =
  | { readonly op: 'zero' }
  /** Loop over K, one staged tile per iteration. */
  | { readonly op: 'tiles'; readonly body: readonly Step[] }
  /** Loop over the k of a staged tile, or over all of K without staging. */
  | { readonly op: 'depth'; readonly body: readonly Step[] }
  | { readonly op: 'loadTile'; readonly operand: 'a' | 'b' }
  | { readonly op: 'barrier' }
  | { readonly op: 'loadFragment'; readonly operand: 'a' | 'b' }
  | { readonly op: 'multiplyAdd'; readonly from: 'global' | 'shared' | 'fragments' }
  | { readonly op: 'store' }
  /** Prologue of a pipeline: the first tiles, one fewer than stages. */
  | { readonly op: 'fill' }
  /** Loop over K with later tiles in flight. */
  | { readonly op: 'pipeline'; readonly body: readonly Step[] }
  /** Executed if a later tile exists. */
  | { readonly op: 'ahead'; readonly body: readonly Step[] }
  /** The last tile, peeled from the loop over K. */
  | { readonly op: 'last'; readonly body: readonly Step[] }
  /** From global memory to registers, and from registers to shared memory. */
  | { readonly op: 'fetchTile' | 'depositTile'; readonly operand: 'a' | 'b' }
  | { readonly op: 'commit' | 'wait' }
  /** k-steps with operands directly from global memory: registerTile.ts. */
  | { readonly op: 'direct' }
  /** A pipeline whose copies, fragment loads and FMAs overlap: overlapped.ts. */
  | { readonly op: 'overlapped' };

const TILES = ['a', 'b'] as const;

const direct: readonly Step[] = [
  { op: 'zero' },
  { op: 'depth', body: [{ op: 'multiplyAdd', from: 'global' }] },
  { op: 'store' },
];

/**
 * Returns steps with two barriers per tile: one before it is read, one before it is overwritten.
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
 * One barrier per tile: it separates the last reads of a stage from the copy that overwrites it.
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
 * Loads the next tile into registers during the FMAs of the current tile and stores it to shared
 * memory afterwards: to the other stage, or with one stage after a barrier. The last tile is
 * peeled, so no iteration has a test.
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
 * An asynchronous pipeline with fragments one k-step ahead, also across tiles, and copies
 * distributed over the k-steps.
 */
const overlapped: readonly Step[] = [
  { op: 'zero' } as const,
  { op: 'fill' } as const,
  { op: 'overlapped' } as const,
  { op: 'store' } as const,
];

/** Without staging, there is no memory to wait for and no barrier. */
const inRegisters: readonly Step[] = [
  { op: 'zero' },
  { op: 'tiles', body: [{ op: 'direct' }] },
  { op: 'store' },
];

/**
 * Warps with matrices use one shared-memory buffer, so that an SM holds more blocks, and prefetch
 * the next tile in registers. The last tile has nothing to prefetch and is peeled.
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
  vectorized: staged(fragments),
  'warp-tile': staged(fragments),
  layout: staged(fragments),
  mma: matrices,
};

/** Copies to shared memory, and the number of buffers of shared memory and fragments. */
export function pipelineFor(plan: LanedFamily | MmaFamily): Pipeline {
  if (plan.family === 'mma') return plan.fragments;
  const { stages, copies, fragments: buffers } = plan.lanes;
  return { stages, copies, buffers };
}

/** Returns the pipeline of a kernel; null for kernels without a pipeline. */
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
 * Returns whether copies of matrices continue past the end with the last tile, so that the
 * overlapped loop needs no test. That tile must be full; only the first tile is zero-filled at its
 * start.
 */
export function copiesAgain(plan: Plan): boolean {
  const { guards, split, spec, tile } = plan;
  const whole = !guards.k || (spec.problem.k > tile.k && split === undefined);
  return plan.family === 'mma' && plan.fragments.buffers === 2 && whole;
}

/** Returns the steps of a planned kernel. */
export function stepsOf(plan: Plan): readonly Step[] {
  const { copies, stages, buffers } = pipelineOf(plan) ?? {};
  if (copies === 'registers' && stages !== undefined) return prefetched(stages);
  const pipelined = buffers === 2 ? overlapped : asynchronous;
  const steps = copies === 'asynchronous' ? pipelined : STEPS[plan.algorithm];
  if (steps === undefined) throw new Error(`${plan.algorithm} was planned without steps`);
  return steps;
}
