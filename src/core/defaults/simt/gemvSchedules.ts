/**
 * `gemv` schedules for up to four rows of A. If K is contiguous in B, a warp spans K and computes a
 * few columns. Otherwise a thread loads vectors of four columns, and the warps of a block split K.
 */
import { MAX_ROWS } from '../../plan/simt/gemv';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';

export interface GemvTile {
  readonly threads: { readonly n: number; readonly k: number };
  /** Columns per thread, and k values per thread and k-iteration. */
  readonly columns: number;
  readonly depth: number;
}

const VECTOR = 4;

const tile = (n: number, k: number, columns: number, depth: number): GemvTile => ({
  threads: { n, k },
  columns,
  depth,
});

/** Tiles for B with contiguous K: columns per warp, warps per block and loads per k-iteration. */
const ALONG_K: readonly GemvTile[] = [
  tile(4, 32, 2, 16),
  tile(4, 32, 1, 16),
  tile(4, 32, 1, 32),
  tile(4, 32, 4, 8),
  tile(4, 32, 4, 16),
  tile(8, 32, 2, 8),
  tile(8, 32, 2, 16),
  tile(2, 32, 2, 16),
  tile(1, 128, 2, 16),
  tile(1, 256, 4, 8),
];

/** Tiles for B with contiguous N: columns per block, threads along K and loads per k-iteration. */
const ALONG_N: readonly GemvTile[] = [
  tile(8, 32, VECTOR, 8),
  tile(8, 32, VECTOR, 4),
  tile(8, 64, VECTOR, 4),
  tile(16, 16, VECTOR, 8),
  tile(16, 32, VECTOR, 4),
  tile(16, 32, VECTOR, 8),
  tile(32, 8, VECTOR, 8),
  tile(32, 16, VECTOR, 4),
  tile(32, 16, VECTOR, 8),
];

export const gemvTiles = ({ b }: Pick<ResolvedProblem, 'b'>): readonly GemvTile[] =>
  b.layout === 'col' ? ALONG_K : ALONG_N;

/**
 * Returns the schedule of a tile. minBlocksPerSm = 1 has ptxas issue all loads of a k-iteration
 * before its FMAs. Without it, ptxas saves registers and interleaves loads with FMAs.
 */
export function gemvSchedule(
  m: number,
  { threads, columns, depth }: GemvTile,
): ResolvedSchedule & Required<Pick<ResolvedSchedule, 'block' | 'thread'>> {
  return {
    algorithm: 'gemv',
    block: { m, n: threads.n * columns, k: threads.k * depth },
    thread: { m, n: columns, k: depth },
    vector: VECTOR,
    minBlocksPerSm: 1,
  };
}

/** Returns the default for a spec that sets only the algorithm; its vector follows the types. */
export function defaultGemv({ m, b }: Pick<ResolvedProblem, 'm' | 'b'>): ResolvedSchedule {
  const [first = tile(4, 32, 2, 16)] = gemvTiles({ b });
  return { ...gemvSchedule(Math.min(m, MAX_ROWS), first), vector: undefined };
}

/** Enumerates the search space of `tune`, which includes illegal schedules. */
export function* gemvSchedules({ m, b }: ResolvedProblem): Generator<ResolvedSchedule> {
  if (m > MAX_ROWS) return;
  const { threadsN, threadsK, columns, depths } = SPACE[b.layout];
  for (const n of threadsN)
    for (const k of threadsK)
      for (const perThread of columns)
        for (const depth of depths)
          for (const splitK of [1, 2, 4, 8]) {
            const schedule = gemvSchedule(m, tile(n, k, perThread, depth));
            yield splitK === 1 ? schedule : { ...schedule, splitK };
          }
}

/** Threads along N and K, columns per thread, and k values per thread, by the layout of B. */
const SPACE = {
  col: { threadsN: [1, 2, 4, 8], threadsK: [32, 128], columns: [1, 2, 4], depths: [8, 16, 32] },
  row: { threadsN: [8, 16, 32], threadsK: [8, 16, 32, 64], columns: [VECTOR], depths: [4, 8, 16] },
} as const;
