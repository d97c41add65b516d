/** Default `wgmma` tile: the tile with the shortest estimated time on the busiest SM. */
import { findDevice } from '../../hardware/devices';
import { GROUP_ROWS } from '../../plan/wgmma/wgmmaUnits';
import { majorOf } from '../../plan/wgmma/wgmma';
import type { ResolvedProblem } from '../../spec/resolved';
import type { Schedule } from '../../spec/schema';
import { tileCount } from '../../plan/tileCount';

type Tile = Readonly<Record<'m' | 'n', number>>;

/**
 * Step between candidate tile widths, in columns. Half of this step is used if C has at most
 * `FEW_ROWS` rows, B is K-major and K is not split.
 */
const STEP = 32;
/** Granularity of N of a `wgmma` instruction. */
const NARROW = 8;
const FEW_ROWS = 128;
/**
 * Maximum number of columns of 64-row tiles without FP32 emulation (`low`) and of all other tiles.
 */
const MAX_COLUMNS = { low: 256, usual: 192 } as const;
/**
 * Estimated cost of the loads and stores per row and per column of a tile, relative to the cost of
 * one tile element.
 */
const EDGE_COST = 8;

/**
 * Returns the tile with the lowest cost. Ties prefer the tallest tile, then the widest. Tile
 * dimensions that the given schedule sets are kept.
 */
export function warpGroupTile(problem: ResolvedProblem, given: Schedule, device: string): Tile {
  const { multiprocessors = 1 } = findDevice(device) ?? {};
  const { splitK = 1 } = given;
  const costOf = ({ m, n }: Tile): number => {
    const along = tileCount(problem, { m, n });
    const tiles = along.m * along.n * problem.batch * splitK;
    // Below 64 columns, `wgmma` is bound by shared-memory reads.
    const products = m * Math.max(n, STEP + n / 2);
    return Math.ceil(tiles / multiprocessors) * (products + EDGE_COST * (m + n));
  };
  const tiles = rowsFor(problem, given).flatMap(m =>
    columnsFor(m, problem, given).map(n => ({ m, n })),
  );
  return tiles.reduce((best, one) => (costOf(one) < costOf(best) ? one : best));
}

function rowsFor({ m }: ResolvedProblem, given: Schedule): readonly [number, ...number[]] {
  const { block, consumers, kernelSchedule } = given;
  if (block?.m !== undefined) return [block.m];
  if (consumers === 3) return [3 * GROUP_ROWS];
  if (consumers === 2 && kernelSchedule === 'cooperative') return [2 * GROUP_ROWS];
  return m <= GROUP_ROWS ? [GROUP_ROWS] : [2 * GROUP_ROWS, GROUP_ROWS];
}

/** Returns the candidate widths of tiles with `rows` rows, widest first. */
function columnsFor(
  rows: number,
  problem: ResolvedProblem,
  { block, split, splitK = 1 }: Schedule,
): readonly number[] {
  const { m, n } = problem;
  if (block?.n !== undefined) return [block.n];
  const schedule = split === undefined ? {} : { split };
  const isDeep = majorOf({ problem, schedule }, 'b') === 'k';
  if (n < STEP && isDeep) return [Math.ceil(n / NARROW) * NARROW];
  const isFine = m <= FEW_ROWS && isDeep && splitK === 1;
  const step = isFine ? STEP / 2 : STEP;
  const widest = rows === GROUP_ROWS && split === undefined ? MAX_COLUMNS.low : MAX_COLUMNS.usual;
  const steps = Math.min(widest, Math.max(STEP, Math.ceil(n / step) * step)) / step;
  return Array.from({ length: steps - STEP / step + 1 }, (_, i) => step * (steps - i));
}
