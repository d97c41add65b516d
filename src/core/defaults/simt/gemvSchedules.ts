/**
 * `gemv` schedules for up to four rows of A. If K is contiguous in B, a warp spans K and computes a
 * few columns. Otherwise a thread loads vectors of four columns, and the warps of a block split K.
 */
import { MAX_ROWS } from '../../plan/simt/gemv';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';

export interface GemvTile {
  readonly threads: { readonly n: number; readonly k: number };
  /** Columns per thread, and k values per thread and k-iteration. */
  readonly columns: number;
  readonly depth: number;
}

/** Elements per vector access of f32. */
const VECTOR = 4;

/** Returns the elements per access: up to 16 bytes and 8 elements, or 4 in types of WGSL. */
function vectorOf(dtype: DType): 2 | 4 | 8 {
  if (DTYPE_BYTES[dtype] === 8) return 2;
  return DTYPE_BYTES[dtype] === 4 || dtype === 'f16' ? 4 : 8;
}

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

/** Tiles for B with contiguous N: threads along N and K, and loads per k-iteration. */
const ALONG_N: readonly (readonly [n: number, k: number, depth: number])[] = [
  [8, 32, 8],
  [8, 32, 4],
  [8, 64, 4],
  [16, 16, 8],
  [16, 32, 4],
  [16, 32, 8],
  [32, 8, 8],
  [32, 16, 4],
  [32, 16, 8],
];

export const gemvTiles = ({ b }: Pick<ResolvedProblem, 'b'>): readonly GemvTile[] =>
  b.layout === 'col'
    ? ALONG_K
    : ALONG_N.map(([n, k, depth]) => tile(n, k, vectorOf(b.dtype), depth));

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
export function* gemvSchedules({ m, a, b }: ResolvedProblem): Generator<ResolvedSchedule> {
  if (m > MAX_ROWS) return;
  const { threadsN, threadsK, depths } = SPACE[b.layout];
  const columns = b.layout === 'col' ? COLUMNS : [vectorOf(b.dtype)];
  const vector = vectorOf(DTYPE_BYTES[a.dtype] < DTYPE_BYTES[b.dtype] ? a.dtype : b.dtype);
  for (const n of threadsN)
    for (const k of threadsK)
      for (const perThread of columns)
        for (const depth of depths)
          for (const splitK of [1, 2, 4, 8]) {
            const schedule = { ...gemvSchedule(m, tile(n, k, perThread, depth)), vector };
            yield splitK === 1 ? schedule : { ...schedule, splitK };
          }
}

/** Threads along N and K, and k values per thread, by the layout of B. */
const SPACE = {
  col: { threadsN: [1, 2, 4, 8], threadsK: [32, 128], depths: [8, 16, 32] },
  row: { threadsN: [8, 16, 32], threadsK: [8, 16, 32, 64], depths: [4, 8, 16] },
} as const;

/** Columns per thread if K is contiguous in B. */
const COLUMNS = [1, 2, 4];
