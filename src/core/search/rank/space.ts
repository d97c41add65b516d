/**
 * Search space of FMA schedules with warp tiles: tile shapes, stage counts and split-K slices. The
 * raster order is not varied because the model does not cover it.
 */
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import { DTYPE_BYTES } from '../../types/dtype';

export interface Space {
  readonly lanes: readonly (readonly [m: number, n: number])[];
  readonly thread: readonly number[];
  /** Warps per block along M and N. */
  readonly warps: readonly number[];
  readonly depth: readonly number[];
  readonly stages: readonly number[];
  readonly minBlocksPerSm: readonly (number | undefined)[];
  readonly splitK: readonly number[];
}

export const SPACE: Space = {
  lanes: [
    [4, 8],
    [8, 4],
    [2, 16],
    [16, 2],
  ],
  thread: [4, 8, 12, 16],
  warps: [1, 2, 4],
  depth: [8, 16, 32],
  stages: [2, 3, 4, 5],
  minBlocksPerSm: [undefined, 2, 4],
  splitK: [1, 2, 4, 8],
};

/**
 * Maximum number of accumulators per thread. More accumulators leave too few of the 255 registers
 * per thread.
 */
const MAX_ACCUMULATORS = 128;
const MAX_WARPS = 16;
const WIDEST_BYTES = 16;

/** Alternative remedies for bank conflicts of transposing stores. */
const CONFLICT_REMEDIES = [{}, { padding: { a: 4, b: 0 } }, { swizzle: 'xor' }] as const;

/** Enumerates the schedules of the space, including illegal schedules. */
export function* schedulesOf(
  { a, b }: ResolvedProblem,
  space: Space = SPACE,
): Generator<ResolvedSchedule> {
  const bytes = Math.min(DTYPE_BYTES[a.dtype], DTYPE_BYTES[b.dtype]);
  const vector = vectorOf(WIDEST_BYTES / bytes);
  for (const tiles of tilesOf(space)) {
    for (const against of CONFLICT_REMEDIES) {
      const shape = { ...tiles, ...against, vector };
      yield* launchesOf({ algorithm: 'warp-tile', ...shape }, space);
      for (const stages of space.stages) {
        yield* launchesOf({ algorithm: 'pipelined', ...shape, stages }, space);
      }
    }
  }
}

/** Enumerates similar schedules consecutively, so that planning reuses common results. */
function* launchesOf(shape: ResolvedSchedule, space: Space): Generator<ResolvedSchedule> {
  for (const splitK of space.splitK) {
    const split = splitK === 1 ? shape : { ...shape, splitK };
    for (const minBlocksPerSm of space.minBlocksPerSm) {
      yield minBlocksPerSm === undefined ? split : { ...split, minBlocksPerSm };
    }
  }
}

const vectorOf = (most: number): 1 | 2 | 4 | 8 =>
  most >= 8 ? 8 : most >= 4 ? 4 : most >= 2 ? 2 : 1;

type Tiles = Required<Pick<ResolvedSchedule, 'block' | 'warp' | 'thread'>>;

function* tilesOf({ lanes, thread, warps, depth: kExtent }: Space): Generator<Tiles> {
  for (const m of thread) {
    for (const n of thread) {
      if (m * n > MAX_ACCUMULATORS) continue;
      for (const [lanesM, lanesN] of lanes) {
        const warp = { m: lanesM * m, n: lanesN * n };
        for (const warpsM of warps) {
          for (const warpsN of warps) {
            if (warpsM * warpsN > MAX_WARPS) continue;
            for (const k of kExtent) {
              const block = { m: warp.m * warpsM, n: warp.n * warpsN, k };
              yield { block, warp, thread: { m, n } };
            }
          }
        }
      }
    }
  }
}
