/** Tiles, warp groups and clusters of a schedule that names `wgmma` alone, or leaves some of them out. */
import { elementOf, piecesOf } from '../plan/pieces';
import { mostSums, stagesThatFit, STAGE_COUNTS } from '../plan/wgmma';
import { DTYPE_BYTES } from './dtype';
import type { ResolvedProblem, ResolvedSchedule } from './resolved';
import type { Schedule } from './schema';

/** Sides of C from which on wider tiles, and clusters that share B, still fill a GPU. */
const LARGE = 4096;

/** Bytes of a row of a tile in shared memory, along K: the widest that TMA swizzles. */
const SWIZZLED_BYTES = 128;

/**
 * Two consumers take turns at tiles (pingpong) where a thread can hold the sums of one, else they share one: what was
 * fastest on an H200, of 128 x 192 in pairs of blocks for large matrices, of 128 x 128 for others.
 */
export function warpGroupSchedule(
  problem: ResolvedProblem,
  given: Schedule,
  device: string,
): ResolvedSchedule {
  const { b } = problem;
  const { split, splitK = 1 } = given;
  const kept = { ...(split === undefined ? {} : { split }), ...(splitK === 1 ? {} : { splitK }) };
  const element = elementOf({ problem, schedule: { algorithm: 'wgmma', ...kept } });
  const isLarge = Math.min(problem.m, problem.n) >= LARGE;
  const {
    m = problem.m <= 64 ? 64 : 128,
    n = isLarge ? 192 : 128,
    k = SWIZZLED_BYTES / DTYPE_BYTES[element],
  } = given.block ?? {};
  // Of pieces, each consumer has the sums of tensor cores and those that they are added to.
  const sums = (m / 64) * (n / 2) * (piecesOf(given) === undefined ? 1 : 2);
  const takeTurns = (given.consumers ?? 2) === 2 && m <= 128 && sums <= mostSums(2) && splitK === 1;
  const kernelSchedule = given.kernelSchedule ?? (takeTurns ? 'pingpong' : 'cooperative');
  const sharing = m % 128 === 0 ? 2 : m % 192 === 0 ? 3 : 1;
  const consumers = given.consumers ?? (kernelSchedule === 'pingpong' ? 2 : sharing);
  // Halves of B are rows of eight, along its columns or its depth.
  const half = (b.layout === 'row' ? k : n) / 2;
  const cluster = given.cluster ?? {
    m: isLarge && split === undefined && splitK === 1 && half % 8 === 0 ? 2 : 1,
    n: 1,
  };
  const block = { m, n, k };
  const schedule: ResolvedSchedule = {
    ...{ algorithm: 'wgmma', block, kernelSchedule, consumers, cluster, ...kept },
    raster: { order: 'row', group: 8 },
  };
  const fit = stagesThatFit({ problem, device, schedule }, block);
  return { ...schedule, stages: Math.max(STAGE_COUNTS.least, fit) };
}
