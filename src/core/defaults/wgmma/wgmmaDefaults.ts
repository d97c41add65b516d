/** Default tiles, warp groups and clusters of a `wgmma` schedule. */
import { maxAccumulators } from '../../plan/wgmma/wgmmaRegisters';
import { swappedProblem, swappedSchedule } from '../../plan/swapAB';
import { elementOf, fp32EmulationOf } from '../../plan/fp32Emulation';
import { isTmaMma } from '../../plan/wgmma/tmaMma';
import { GROUP_ROWS } from '../../plan/wgmma/wgmmaUnits';
import { stagesThatFit, STAGE_COUNTS } from '../../plan/wgmma/wgmma';
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import type { KernelSchedule, Schedule } from '../../spec/schema';
import { warpGroupTile } from './wgmmaTile';

/**
 * Minimum M and N for clusters of two 256 x 192 blocks with two consumers. On an H200, they were
 * fastest for matrices of at least this size.
 */
const HUGE = { from: 12_288, tile: { m: 256, n: 192 }, cluster: { m: 1, n: 2 } } as const;

/** Bytes per row of a K-major shared tile, equal to the widest swizzle width of TMA. */
export const SWIZZLED_BYTES = 128;
/** Rows of C per raster group, before rounding down to whole clusters. */
export const STRIP_ROWS = 2048;

/** Consumers of the kernel schedules whose consumers do not share a tile. */
const CONSUMERS: Readonly<Partial<Record<KernelSchedule, number>>> = { tma: 1, pingpong: 2 };

/**
 * Returns the default `wgmma` schedule; fields of `given` are kept. The default is
 * cooperative, or ping-pong with two consumers if all of the following hold:
 *
 * - C has more than 64 rows, or `given` sets two consumers.
 * - K is not split.
 * - One warp group can hold the accumulators of a tile with at most 128 rows.
 */
export function warpGroupSchedule(
  problem: ResolvedProblem,
  given: Schedule,
  device: string,
): ResolvedSchedule {
  // If C is column-major, the operands are swapped: the computed C is row-major and TMA can store
  // it.
  const { operandOrder = problem.c.layout === 'col' ? 'ba' : 'ab' } = given;
  if (operandOrder === 'ab') return computedSchedule(problem, given, device);
  const computed = computedSchedule(swappedProblem(problem), swappedSchedule(given), device);
  return swappedSchedule(computed);
}

/** Returns the default schedule without swap-AB. */
function computedSchedule(
  problem: ResolvedProblem,
  given: Schedule,
  device: string,
): ResolvedSchedule {
  if (isTmaMma(given)) return tmaMmaSchedule(problem, given, device);
  const { split, splitK = 1 } = given;
  const kept = { ...(split === undefined ? {} : { split }), ...(splitK === 1 ? {} : { splitK }) };
  const element = elementOf({ problem, schedule: kept });
  const storesColumns = problem.c.layout === 'col';
  const isHuge = isLeftOut(given) && !storesColumns && Math.min(problem.m, problem.n) >= HUGE.from;
  const { m, n } = isHuge ? HUGE.tile : warpGroupTile(problem, given, device);
  const { k = SWIZZLED_BYTES / DTYPE_BYTES[element] } = given.block ?? {};
  // With FP32 emulation, each consumer holds the tensor-core accumulators and the FP32 totals.
  const accumulators = (m / GROUP_ROWS) * (n / 2) * (fp32EmulationOf(given) === undefined ? 1 : 2);
  const usual = problem.m <= GROUP_ROWS ? 1 : 2;
  const isPingpong =
    (given.consumers ?? usual) === 2 &&
    m <= 128 &&
    accumulators <= maxAccumulators(2, { storesColumns }) &&
    splitK === 1;
  const kernelSchedule = given.kernelSchedule ?? (isPingpong ? 'pingpong' : 'cooperative');
  const sharing = m % 128 === 0 ? 2 : m % 192 === 0 ? 3 : 1;
  const consumers = given.consumers ?? CONSUMERS[kernelSchedule] ?? sharing;
  const cluster = given.cluster ?? (isHuge ? HUGE.cluster : { m: 1, n: 1 });
  const block = { m, n, k };
  const group = Math.max(1, Math.floor(STRIP_ROWS / (m * cluster.m)));
  const schedule: ResolvedSchedule = {
    algorithm: 'wgmma',
    block,
    kernelSchedule,
    consumers,
    cluster,
    ...kept,
    raster: { order: 'row', group },
  };
  const fit = Math.min(STAGE_COUNTS.usual, stagesThatFit({ problem, device, schedule }, block));
  return { ...schedule, stages: Math.max(STAGE_COUNTS.least, fit) };
}

/**
 * Stages of `mma` tiles loaded by TMA. With 128 x 128 tiles of 16-bit elements, shared memory then
 * holds two blocks per SM.
 */
const TMA_MMA_STAGES = 3;

/** Returns the default schedule of `mma` with `kernelSchedule` `tma`, without swap-AB. */
function tmaMmaSchedule(
  problem: ResolvedProblem,
  given: Schedule,
  device: string,
): ResolvedSchedule {
  const element = elementOf({ problem, schedule: given });
  const block = {
    m: given.block?.m ?? (problem.m <= GROUP_ROWS ? GROUP_ROWS : 2 * GROUP_ROWS),
    n: given.block?.n ?? (problem.n <= 64 ? 64 : 128),
    k: given.block?.k ?? SWIZZLED_BYTES / DTYPE_BYTES[element],
  };
  const schedule: ResolvedSchedule = {
    algorithm: 'mma',
    block,
    kernelSchedule: 'tma',
    consumers: given.consumers ?? 1,
    cluster: given.cluster ?? { m: 1, n: 1 },
    ...(given.split === undefined ? {} : { split: given.split }),
    raster: { order: 'row', group: Math.max(1, Math.floor(STRIP_ROWS / block.m)) },
  };
  const fit = Math.min(TMA_MMA_STAGES, stagesThatFit({ problem, device, schedule }, block));
  return { ...schedule, stages: Math.max(STAGE_COUNTS.least, fit) };
}

const isLeftOut = ({ block, consumers, kernelSchedule, stages, mma, split, splitK }: Schedule) =>
  [block, consumers, kernelSchedule, stages, mma, split, splitK].every(one => one === undefined);
