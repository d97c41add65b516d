/**
 * Pictures of the tiling: the levels of tiles, and the tiles of C in each wave of thread blocks.
 * For a block tile, the elements of a warp or a thread.
 */
import { WARP_LANES } from '../hardware/warp';
import type { GemvPlan, Plan } from '../plan/plan';
import { swapMN } from '../plan/swapAB';
import type { Sides } from '../plan/tileCount';
import { computedTile } from '../plan/wgmma/wgmma';
import { tileOrder } from '../plan/tileOrder';
import { productsOf } from '../spec/epilogue';

export type TileLevelName = 'grid' | 'block' | 'warpGroup' | 'warp' | 'instruction' | 'thread';

export interface TileLevel {
  readonly name: TileLevelName;
  /** Extents in rows and columns of the product; for a thread, numbers of accumulators. */
  readonly m: number;
  readonly n: number;
  /** K extent that one step at this level multiplies. */
  readonly k: number;
}

/** Returns the tile levels, outermost first. With swap-AB, their rows are the columns of C. */
export function tileLevels(plan: Plan): readonly TileLevel[] {
  const { problem } = plan.spec;
  const { m, n, k } = plan.tile;
  const isSwapped = plan.family === 'wgmma' && plan.wgmma.operandOrder === 'ba';
  const computed = (sides: Sides): Sides => (isSwapped ? swapMN(sides) : sides);
  return [
    { name: 'grid', ...computed({ m: problem.m, n: problem.n }), k: problem.k },
    { name: 'block', ...computed({ m, n }), k: k === 0 ? 1 : k },
    ...innerLevels({ ...plan, thread: computed(plan.thread) }),
  ];
}

function innerLevels(plan: Plan): readonly TileLevel[] {
  const { k } = plan.tile;
  const thread: TileLevel = { name: 'thread', ...plan.thread, k: 1 };
  switch (plan.family) {
    case 'simt':
      if (plan.lanes?.gemv !== undefined) return gemvLevels(plan.thread, plan.lanes.gemv);
      return plan.lanes === null ? [thread] : [{ name: 'warp', ...plan.lanes.warp, k }, thread];
    case 'subgroup-matrix':
    case 'mma':
      return [
        { name: 'warp', ...plan.matrix.warp, k },
        { name: 'instruction', ...plan.matrix.shape },
        thread,
      ];
    case 'wgmma':
      if (plan.wgmma.instruction === 'mma') {
        const { shape } = plan.wgmma;
        const { n } = computedTile(plan.wgmma, plan.tile);
        return [{ name: 'warp', m: shape.m, n, k }, { name: 'instruction', ...shape }, thread];
      }
      // With a gate, half of the columns of an instruction belong to the same columns of C.
      const { m, n, ...depth } = plan.wgmma.shape;
      const columns = n / productsOf(plan.spec.problem);
      return [
        { name: 'warpGroup', m: plan.wgmma.rowsPerConsumer, n: columns, k },
        { name: 'instruction', m, n: columns, ...depth },
        thread,
      ];
  }
}

/** The lanes of a warp are consecutive threads along K or N, and then along the other dimension. */
function gemvLevels(thread: Sides, { threads, depth, isAlongK }: GemvPlan): readonly TileLevel[] {
  const inner = Math.min(WARP_LANES, isAlongK ? threads.k : threads.n);
  const outer = WARP_LANES / inner;
  const [lanesN, lanesK] = isAlongK ? [outer, inner] : [inner, outer];
  return [
    { name: 'warp', m: thread.m, n: lanesN * thread.n, k: lanesK * depth },
    { name: 'thread', ...thread, k: depth },
  ];
}

export interface WaveTiles {
  /** From 0. */
  readonly wave: number;
  /** SVG path in units of tiles: x along N, y along M. */
  readonly path: string;
}

export const MAX_DRAWN_TILES = 16_384;

/**
 * Returns the tiles of C of each wave, for the first batch entry and split-K slice, if blocks start
 * in the order of their index. Returns null for more than `MAX_DRAWN_TILES` tiles, and for `wgmma`,
 * whose blocks loop over tiles.
 */
export function waveTiles(plan: Plan, blocksPerWave: number): readonly WaveTiles[] | null {
  if (plan.family === 'wgmma') return null;
  const { tilesM, tilesN, tileAt } = tileOrder(plan);
  const count = tilesM * tilesN;
  if (count > MAX_DRAWN_TILES) return null;
  const waveOf = new Int32Array(count);
  for (let block = 0; block < count; block++) {
    const { row, column } = tileAt(block);
    waveOf[row * tilesN + column] = Math.floor(block / blocksPerWave);
  }
  const waves = Math.ceil(count / blocksPerWave);
  const extent = { m: tilesM, n: tilesN };
  return Array.from({ length: waves }, (_, wave) => ({
    wave,
    path: cellsPath(extent, cell => waveOf[cell] === wave),
  }));
}

export interface WarpCells {
  readonly warp: number;
  /** SVG path in units of elements. */
  readonly path: string;
}

export const warpOf = (thread: number): number => Math.floor(thread / WARP_LANES);

/** @param threads thread index of each element of the block tile, in row-major order */
export function warpCells(threads: Int32Array, extent: Sides): readonly WarpCells[] {
  const numbers = [...new Set(Array.from(threads, warpOf))].sort((one, other) => one - other);
  return numbers.map(warp => ({
    warp,
    path: cellsPath(extent, cell => warpOf(threads[cell] ?? -1) === warp),
  }));
}

/**
 * Returns an SVG path of the chosen cells of a grid, one unit per cell. Adjacent cells of a row
 * form one rectangle, as do equal runs of adjacent rows.
 */
export function cellsPath({ m, n }: Sides, isChosen: (cell: number) => boolean): string {
  let path = '';
  let open = new Map<string, number>();
  const close = (run: string, from: number, to: number): void => {
    const [column = 0, length = 0] = run.split(' ').map(Number);
    path += `M${column} ${from}h${length}v${to - from}h${-length}z`;
  };
  for (let row = 0; row <= m; row++) {
    const runs = row === m ? [] : runsOf({ n, row }, isChosen);
    const next = new Map(runs.map(run => [run, open.get(run) ?? row]));
    for (const [run, from] of open) if (!next.has(run)) close(run, from, row);
    open = next;
  }
  return path;
}

/** Returns the runs of chosen cells in a row, as "column length". */
function runsOf(
  { n, row }: { readonly n: number; readonly row: number },
  isChosen: (cell: number) => boolean,
): readonly string[] {
  const runs: string[] = [];
  let from = -1;
  for (let column = 0; column <= n; column++) {
    const chosen = column < n && isChosen(row * n + column);
    if (chosen && from < 0) from = column;
    if (!chosen && from >= 0) {
      runs.push(`${from} ${column - from}`);
      from = -1;
    }
  }
  return runs;
}
