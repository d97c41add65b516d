/**
 * Waves: how often a GPU fills with the blocks of a kernel, what its last wave leaves empty, and what tiles compute
 * outside of C. Blocks start as others end, so a wave is a count, not a barrier. Persistent blocks (`wgmma`) take
 * their next tile instead, which counts the same; `raster` changes which tile a block takes, not how many there are.
 */
import type { Device } from '../hardware/devices';
import type { KernelFamily, Plan } from '../plan/plan';
import { clusterSides, tileCount } from '../plan/tileCount';
import { clustersAtOnce, clustersOf } from '../plan/wgmma/wgmma';
import type { OccupancyReport, Waves } from './report';
import { significant } from '../text/numbers';
import { stagedDepth } from '../plan/traffic';
import { figure } from '../text/figure';

/** Counts of a grid of blocks on a GPU. */
export interface WaveCounts {
  readonly tiles: number;
  readonly blocksPerWave: number;
  readonly waves: number;
  readonly tailBlocks: number;
  /** Blocks over the block slots of all waves, 0..1. Slots that stay empty are occupancy, not idle SMs. */
  readonly efficiency: number;
  /** Load balance over SMs: blocks of the average SM over those of the busiest SM, 0..1. */
  readonly balance: number;
}

/** Writes the load balance over SMs; every text that names it has these digits. */
export const balanceText = (balance: number): string => `${significant(100 * balance)} %`;

/** `blocksPerSm` is at least 1; fewer blocks run at once than SMs hold where they come as clusters. */
export function countWaves(
  tiles: number,
  multiprocessors: number,
  blocksPerSm: number,
  blocksPerWave = multiprocessors * blocksPerSm,
): WaveCounts {
  const waves = Math.ceil(tiles / blocksPerWave);
  return {
    tiles,
    blocksPerWave,
    waves,
    tailBlocks: tiles - (waves - 1) * blocksPerWave,
    efficiency: tiles / (waves * blocksPerWave),
    balance: tiles / multiprocessors / Math.ceil((tiles * blocksPerSm) / blocksPerWave),
  };
}

/** Of a kernel on a device: of warp groups whole clusters, parts of K and tiles outside of C with them. */
export function wavesOfPlan(
  plan: Pick<Plan, 'grid' | 'spec' | 'tile'> & KernelFamily,
  { id, multiprocessors }: Pick<Device, 'id' | 'multiprocessors'>,
  blocksPerSm: number,
): WaveCounts {
  if (plan.family !== 'wgmma') {
    const { grid } = plan;
    return countWaves(grid.x * grid.y * grid.z, multiprocessors, blocksPerSm);
  }
  const { size, count } = clustersOf(plan.spec.problem, plan.tile, plan.wgmma);
  const atOnce = clustersAtOnce(id, size, blocksPerSm) * size;
  return countWaves(count * size, multiprocessors, blocksPerSm, atOnce);
}

/**
 * Multiply-adds of whole tiles: edges of C are computed as whole ones (a kernel that stages nothing leaves those lanes
 * idle, which takes as long), and as whole clusters; along K only a pipeline fills its first tile up.
 */
export function tileMultiplyAdds(plan: Pick<Plan, 'spec' | 'tile'> & KernelFamily): number {
  const { problem } = plan.spec;
  const cluster = plan.family === 'wgmma' ? plan.wgmma.cluster : { m: 1, n: 1 };
  const sides = clusterSides(plan.tile, cluster);
  const clusters = tileCount(problem, sides);
  return problem.batch * (clusters.m * sides.m) * (clusters.n * sides.n) * stagedDepth(plan);
}

export function wavesOf(
  plan: Plan | null,
  device: Device,
  report: Pick<OccupancyReport, 'blocksPerSm'> | null,
): Waves | null {
  if (plan === null || report === null || report.blocksPerSm === 0) return null;
  const { m, n, k, batch } = plan.spec.problem;
  const { tailBlocks, balance, ...counts } = wavesOfPlan(plan, device, report.blocksPerSm);
  const [useful, executed] = [batch * m * n * k, tileMultiplyAdds(plan)];
  return {
    ...counts,
    paddingFlopFraction: 1 - useful / executed,
    paddingFlops: figure(2 * (executed - useful), 'FLOP', 'derived'),
    tail: {
      blocks: figure(tailBlocks, 'blocks', 'derived'),
      efficiency: figure(tailBlocks / counts.blocksPerWave, '', 'derived'),
    },
    balance: figure(balance, '', 'derived'),
  };
}
