/**
 * Finds the nearest legal tiles if changing a single value cannot make the tiles legal. Block, warp
 * and thread tiles change together; all other fields keep their values. The algorithms `layout` and
 * `wgmma` are excluded, because thread layouts or the instruction determine their tiles.
 */
import { WARP_LANES } from '../hardware/warp';
import type { ResolvedSchedule } from '../spec/resolved';
import { usesOf } from './fields';
import { hasWarpGroups } from './wgmma/tmaMma';

interface Side {
  readonly m: number;
  readonly n: number;
}

interface Tiles {
  readonly block: Side & { readonly k: number };
  readonly warp?: Side;
  readonly thread?: Side;
}

/**
 * Candidate extents of a thread tile, and candidate grids of the 32 lanes of a warp along M and N.
 */
const EXTENTS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16];
const LANES = [1, 2, 4, 8, 16, 32].map((m): Side => ({ m, n: WARP_LANES / m }));
const MAX_TRIED = 4000;

/**
 * Returns the schedule with the nearest legal tiles; null if no candidate is legal. `isLegal` may
 * omit rules that do not depend on tiles.
 */
export function nearestTiles(
  schedule: ResolvedSchedule,
  isLegal: (schedule: ResolvedSchedule) => boolean,
): ResolvedSchedule | null {
  const fields = usesOf(schedule)?.fields ?? [];
  const has = (field: string): boolean => fields.includes(field);
  const asked = requestedTiles(schedule);
  const near = tilesOf(schedule, asked, has)
    .map(tiles => ({ tiles, by: distance(tiles, asked) }))
    .sort((one, other) => one.by - other.by)
    .slice(0, MAX_TRIED);
  for (const { tiles } of near) {
    const changed = withTiles(schedule, tiles, has);
    if (isLegal(changed)) return changed;
  }
  return null;
}

function requestedTiles({ block = {}, warp, thread }: ResolvedSchedule): Tiles {
  return {
    block: { m: block.m ?? 1, n: block.n ?? 1, k: block.k ?? 1 },
    ...(warp === undefined ? {} : { warp: { m: warp.m ?? 1, n: warp.n ?? 1 } }),
    ...(thread === undefined ? {} : { thread: { m: thread.m ?? 1, n: thread.n ?? 1 } }),
  };
}

/**
 * Returns the candidate tiles. Block tiles consist of full warp tiles. Warp tiles consist of full
 * instructions or of 32 thread tiles. Without warp tiles, block tiles consist of thread tiles.
 */
function tilesOf(
  schedule: ResolvedSchedule,
  asked: Tiles,
  has: (field: string) => boolean,
): readonly Tiles[] {
  const { algorithm, mma = { m: 16, n: 8, k: 16 } } = schedule;
  if (hasWarpGroups(schedule) || algorithm === 'layout' || !has('block.m')) return [];
  const depths = multiples(algorithm === 'mma' ? mma.k : 1, asked.block.k);
  const inBlocks = (unit: Side, inner: Omit<Tiles, 'block'>): readonly Tiles[] =>
    multiples(unit.m, asked.block.m).flatMap(m =>
      multiples(unit.n, asked.block.n).flatMap(n =>
        depths.map(k => ({ block: { m, n, k }, ...inner })),
      ),
    );
  if (algorithm === 'mma') {
    const { m, n } = asked.warp ?? mma;
    return pairs(multiples(mma.m, m), multiples(mma.n, n)).flatMap(warp =>
      inBlocks(warp, { warp }),
    );
  }
  const sides = has('thread.m') ? EXTENTS : [1];
  const threads = pairs(sides, has('thread.n') ? EXTENTS : [1]);
  if (!has('warp.m')) return threads.flatMap(thread => inBlocks(thread, { thread }));
  return threads.flatMap(thread =>
    LANES.flatMap(lanes => {
      const warp = { m: lanes.m * thread.m, n: lanes.n * thread.n };
      return inBlocks(warp, { warp, thread });
    }),
  );
}

const pairs = (ms: readonly number[], ns: readonly number[]): readonly Side[] =>
  ms.flatMap(m => ns.map(n => ({ m, n })));

/**
 * Returns the unit, and its multiples near a value and near half of it. The unit itself is
 * included, because larger blocks may have too many threads.
 */
const multiples = (unit: number, near: number): readonly number[] => [
  ...new Set(
    [1, Math.floor(near / unit), Math.ceil(near / unit), Math.floor(near / unit / 2)]
      .filter(count => count >= 1)
      .map(count => count * unit),
  ),
];

function distance({ block, warp, thread }: Tiles, asked: Tiles): number {
  const logRatio = (one: number, other: number): number => Math.abs(Math.log(one / other));
  const sides = (own: Side | undefined, other: Side | undefined): number =>
    own === undefined || other === undefined
      ? 0
      : logRatio(own.m, other.m) + logRatio(own.n, other.n);
  return (
    sides(block, asked.block) +
    logRatio(block.k, asked.block.k) +
    sides(warp, asked.warp) +
    sides(thread, asked.thread)
  );
}

/** Sets only the tile fields that the algorithm uses. */
function withTiles(
  schedule: ResolvedSchedule,
  { block, warp, thread }: Tiles,
  has: (field: string) => boolean,
): ResolvedSchedule {
  const { m, n, k } = block;
  const depth = schedule.thread?.k;
  return {
    ...schedule,
    block: { m, n, ...(has('block.k') ? { k } : {}) },
    ...(warp === undefined ? {} : { warp }),
    ...(thread === undefined || !has('thread.m')
      ? {}
      : {
          thread: {
            ...(has('thread.n') ? thread : { m: thread.m }),
            ...(depth === undefined ? {} : { k: depth }),
          },
        }),
  };
}
