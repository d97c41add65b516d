/** `wgmma` schedules for few rows or columns, for benchmarks that fit the time model. */
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../../src/core/spec/schema';
import { DTYPE_BYTES } from '../../../src/core/types/dtype';

/** Weights per tile, with consumer warp groups and numbers of stages. */
const TILES = [
  { n: 64, consumers: 1, stages: [8, 12, 16] },
  { n: 128, consumers: 1, stages: [6, 12] },
  { n: 256, consumers: 2, stages: [3, 6] },
  { n: 192, consumers: 3, stages: [4, 8] },
] as const;
const ROW_BYTES = 128;
const SLICES = [1, 2, 3, 4, 5, 6, 7, 8] as const;
/**
 * Blocks that fill a part of an H200, or all of it two to three times. More split-K blocks were
 * never faster at 51 shapes (seeds 73201 to 73203 of bench/h200-flat-fit.jsonl).
 */
const BLOCKS = { least: 60, most: 330 } as const;
const LEAST_STEPS = 4;
const MOST_NARROW_TILES = 2000;
const GROUP_COLUMNS = 2048;

/**
 * Returns the schedules with 1 to 8 split-K slices in a cluster. The longer side of C has the rows
 * of the instruction.
 */
export function narrowSchedules(problem: GemmSpec['problem']): readonly Schedule[] {
  const { m, n, k, a } = resolve({ version: 1, problem }).problem;
  const isSwapped = m <= n;
  const few = Math.min(m, n) <= 8 ? 8 : 16;
  const deep = ROW_BYTES / DTYPE_BYTES[a.dtype];
  return TILES.flatMap(tile => {
    const tiles = Math.ceil(Math.max(m, n) / tile.n);
    const steps = Math.ceil(k / deep);
    return SLICES.flatMap(splitK => {
      const blocks = tiles * splitK;
      const isSensible =
        blocks >= BLOCKS.least &&
        (splitK === 1
          ? tile.n > 64 || tiles <= MOST_NARROW_TILES
          : blocks <= BLOCKS.most && steps / splitK >= LEAST_STEPS);
      if (!isSensible) return [];
      return tile.stages.map((stages): Schedule => ({
        algorithm: 'wgmma',
        block: isSwapped ? { m: few, n: tile.n, k: deep } : { m: tile.n, n: few, k: deep },
        kernelSchedule: 'cooperative',
        consumers: tile.consumers,
        cluster: { m: 1, n: 1 },
        raster: { order: isSwapped ? 'col' : 'row', group: Math.floor(GROUP_COLUMNS / tile.n) },
        ...(splitK === 1 ? {} : { splitK }),
        stages,
        launch: 'prefetch',
        operandOrder: isSwapped ? 'ba' : 'ab',
      }));
    });
  });
}
