/** The tile of `wgmma` where a schedule names none: the one with which a GPU's multiprocessors are done first. */
import { findDevice } from '../../hardware/devices';
import { GROUP_ROWS, majorOf } from '../../plan/wgmma/wgmma';
import type { ResolvedProblem } from '../../spec/resolved';
import type { Schedule } from '../../spec/schema';
import { tileCount } from '../../plan/tileCount';

type Tile = Readonly<Record<'m' | 'n', number>>;

/** Columns in steps that TMA stores; where rows are few, and C is small beside B, in half of these. */
const STEP = 32;
/** What an instruction's columns are multiples of: C that is narrower than a step is not stored by TMA anyway. */
const NARROW = 8;
const FEW_ROWS = 128;
/** Of tiles of 64 rows, and of others: two consumers have sums of 128 x 192 each. */
const MOST_COLUMNS = { low: 256, usual: 192 } as const;
/** Elements that a row and column of a tile cost beside its products: they are loaded, and stored. */
const AROUND = 8;

/** Sides that are given stay; of tiles that are done at the same time, the largest. */
export function warpGroupTile(problem: ResolvedProblem, given: Schedule, device: string): Tile {
  const { multiprocessors = 1 } = findDevice(device) ?? {};
  const { splitK = 1 } = given;
  const costOf = ({ m, n }: Tile): number => {
    const along = tileCount(problem, { m, n });
    const tiles = along.m * along.n * problem.batch * splitK;
    // Below 64 columns shared memory is what an instruction waits for.
    const products = m * Math.max(n, STEP + n / 2);
    return Math.ceil(tiles / multiprocessors) * (products + AROUND * (m + n));
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

/** Of tiles with so many rows; the widest first. */
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
  const widest = rows === GROUP_ROWS && split === undefined ? MOST_COLUMNS.low : MOST_COLUMNS.usual;
  const steps = Math.min(widest, Math.max(STEP, Math.ceil(n / step) * step)) / step;
  return Array.from({ length: steps - STEP / step + 1 }, (_, i) => step * (steps - i));
}
