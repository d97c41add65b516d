/** The rungs of the ladder: one schedule a step, as their tutorials have them, and the best known after those. */
import type { Algorithm, Schedule, Target } from './schema';

export interface Rung {
  readonly algorithm: Algorithm;
  /** What this rung changes, beside the one before it. */
  readonly change: string;
  readonly schedule: Schedule;
  /** Absent: every target. */
  readonly targets?: readonly Target[];
}

const rung = (
  algorithm: Algorithm,
  change: string,
  schedule: Schedule,
  targets?: readonly Target[],
): Rung => ({
  ...{ algorithm, change, schedule: { algorithm, ...schedule } },
  ...(targets === undefined ? {} : { targets }),
});

const SQUARE = { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } } as const;

/** WebGPU rungs ask for limits that desktop adapters have, as CUDA rungs for what every GPU has. */
export const LADDER_WEBGPU_LIMITS = { invocations: 1024, workgroupStorageBytes: 32_768 } as const;

export const LADDER: readonly Rung[] = [
  rung('naive', 'one thread an element, lanes along rows', { block: { m: 32, n: 32 } }),
  rung('coalesced', 'lanes along columns, a two-dimensional block', {
    ...{ variant: 'swap', block: { m: 32, n: 32 } },
  }),
  rung('coalesced', 'the same from a one-dimensional index', {
    ...{ variant: 'remap', block: { m: 32, n: 32 } },
  }),
  rung('shared-tile', 'tiles in shared memory', { block: { m: 32, n: 32, k: 32 } }),
  rung('thread-tile-1d', 'a column of results a thread', {
    ...{ block: { m: 64, n: 64, k: 8 }, thread: { m: 8 } },
  }),
  rung('thread-tile-2d', '4 x 4 results a thread', {
    ...{ block: { m: 64, n: 64, k: 8 }, thread: { m: 4, n: 4 } },
  }),
  rung('thread-tile-2d', '8 x 8 results a thread', SQUARE),
  rung('thread-tile-2d', 'padding against bank conflicts', { ...SQUARE, padding: { a: 1 } }),
];

/** The rungs that a target climbs. */
export const ladderOf = (target: Target): readonly Rung[] =>
  LADDER.filter(({ targets }) => targets?.includes(target) ?? true);
