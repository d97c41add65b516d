/** The schedule as a dozen coarse operations. An optimisation is a change here; lower.ts knows how each is done. */
import type { Algorithm } from '../spec/schema';
import type { Copies, KernelFamily, LanedFamily, MmaFamily, Plan } from './plan';

export type Step =
  | { readonly op: 'zero' }
  /** Over K, one staged tile at a time. */
  | { readonly op: 'tiles'; readonly body: readonly Step[] }
  /** Over the depth of a staged tile, or over all of K when nothing is staged. */
  | { readonly op: 'depth'; readonly body: readonly Step[] }
  | { readonly op: 'loadTile'; readonly operand: 'a' | 'b' }
  | { readonly op: 'barrier' }
  | { readonly op: 'loadFragment'; readonly operand: 'a' | 'b' }
  | { readonly op: 'multiplyAdd'; readonly from: 'global' | 'shared' | 'fragments' }
  | { readonly op: 'store' }
  /** The first tiles of a pipeline, one less than it has stages. */
  | { readonly op: 'fill' }
  /** Over K, with later tiles under way. */
  | { readonly op: 'pipeline'; readonly body: readonly Step[] }
  /** For a tile that is still to come. */
  | { readonly op: 'ahead'; readonly body: readonly Step[] }
  /** For the tile that the loop over K leaves. */
  | { readonly op: 'last'; readonly body: readonly Step[] }
  /** From global memory into registers, and from these to shared memory. */
  | { readonly op: 'fetchTile' | 'depositTile'; readonly operand: 'a' | 'b' }
  | { readonly op: 'commit' | 'wait' }
  /** Depths of K whose factors come straight from global memory: registerTile.ts. */
  | { readonly op: 'direct' }
  /** A pipeline whose copies, fragments and multiply-adds overlap: overlapped.ts. */
  | { readonly op: 'overlapped' };

const TILES = ['a', 'b'] as const;

const direct: readonly Step[] = [
  { op: 'zero' },
  { op: 'depth', body: [{ op: 'multiplyAdd', from: 'global' }] },
  { op: 'store' },
];

/** Two barriers a tile: nobody reads it before it is complete, nobody replaces it while it is read. */
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

/** One barrier a tile: it separates the last reads of a stage from the copy that replaces it. */
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
 * The next tile travels to registers while this one is multiplied, and to shared memory after that: into the other stage,
 * or, with one, when nobody reads this one any more. The last tile comes after the loop, so that no iteration has a test.
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

/** An asynchronous pipeline with fragments a depth ahead, over the tiles' borders, and copies spread over the depths. */
const overlapped: readonly Step[] = [
  { op: 'zero' } as const,
  { op: 'fill' } as const,
  { op: 'overlapped' } as const,
  { op: 'store' } as const,
];

/** Nothing is staged: no memory to wait for, and no barrier. */
const inRegisters: readonly Step[] = [
  { op: 'zero' },
  { op: 'tiles', body: [{ op: 'direct' }] },
  { op: 'store' },
];

/**
 * Of warps that multiply matrices: one buffer of shared memory, so that an SM holds more blocks, and the next tile in
 * registers meanwhile. The last tile has none to fetch, and comes after the loop.
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

/** How tiles come to shared memory, and how many buffers it and the fragments have. */
export function pipelineFor(plan: LanedFamily | MmaFamily): Pipeline {
  if (plan.family === 'mma') return plan.fragments;
  const { stages, copies, fragments: buffers } = plan.lanes;
  return { stages, copies, buffers };
}

/** The same; null for other kernels. */
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
 * Whether the copies of matrices go on past the end, with the last tile again: so a loop whose loads overlap with products
 * has no test. That tile has to be whole, and only the first one has zeros in front.
 */
export function copiesAgain(plan: Plan): boolean {
  const { guards, split, spec, tile } = plan;
  const whole = !guards.k || (spec.problem.k > tile.k && split === undefined);
  return plan.family === 'mma' && plan.fragments.buffers === 2 && whole;
}

/** The steps of a planned kernel. */
export function stepsOf(plan: Plan): readonly Step[] {
  const { copies, stages, buffers } = pipelineOf(plan) ?? {};
  if (copies === 'registers' && stages !== undefined) return prefetched(stages);
  const pipelined = buffers === 2 ? overlapped : asynchronous;
  const steps = copies === 'asynchronous' ? pipelined : STEPS[plan.algorithm];
  if (steps === undefined) throw new Error(`${plan.algorithm} was planned without steps`);
  return steps;
}
