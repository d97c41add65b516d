/**
 * Waves: how often the blocks of a kernel fill the GPU, the idle slots of the last wave, and the
 * tile work outside C. Blocks start as others finish, so a wave is a count, not a barrier.
 * Persistent blocks (`wgmma`) loop over tiles instead, with the same count. `raster` changes the
 * order of tiles, not their number.
 */
import type { Device } from '../hardware/devices';
import type { KernelFamily, Plan } from '../plan/plan';
import { clusterSides, tileCount } from '../plan/tileCount';
import { residentClusters, clustersOf } from '../plan/wgmma/wgmma';
import type { OccupancyReport, Waves } from './report';
import { significant } from '../text/numbers';
import { stagedK } from '../plan/traffic';
import { figure } from '../text/figure';

/** Wave counts of a grid on a GPU. */
export interface WaveCounts {
  readonly tiles: number;
  readonly blocksPerWave: number;
  readonly waves: number;
  readonly tailBlocks: number;
  /**
   * Blocks divided by the block slots of all waves, 0..1. Empty slots reduce occupancy; the SMs are
   * not idle.
   */
  readonly efficiency: number;
  /** Load balance over SMs: average blocks per SM divided by the blocks of the busiest SM, 0..1. */
  readonly balance: number;
}

/** Formats the load balance over SMs with the digits that all texts use. */
export const balanceText = (balance: number): string => `${significant(100 * balance)} %`;

/**
 * Counts waves. `blocksPerSm` must be at least 1. Clusters may lower the concurrent blocks below
 * what the SMs hold.
 */
export function countWaves(
  tiles: number,
  smCount: number,
  blocksPerSm: number,
  blocksPerWave = smCount * blocksPerSm,
): WaveCounts {
  const waves = Math.ceil(tiles / blocksPerWave);
  return {
    tiles,
    blocksPerWave,
    waves,
    tailBlocks: tiles - (waves - 1) * blocksPerWave,
    efficiency: tiles / (waves * blocksPerWave),
    balance: tiles / smCount / Math.ceil((tiles * blocksPerSm) / blocksPerWave),
  };
}

/**
 * Counts the waves of a plan on a device; `wgmma` kernels count whole clusters with slices and
 * tiles outside C.
 */
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
  const atOnce = residentClusters(id, size, blocksPerSm) * size;
  return countWaves(count * size, multiprocessors, blocksPerSm, atOnce);
}

/**
 * Counts the FMAs of full tiles. Boundary tiles are computed in full (kernels without staging leave
 * lanes idle, which takes as long), and so are clusters. Along K, only a software pipeline
 * zero-fills its first tile.
 */
export function tileFmas(plan: Pick<Plan, 'spec' | 'tile'> & KernelFamily): number {
  const { problem } = plan.spec;
  const cluster = plan.family === 'wgmma' ? plan.wgmma.cluster : { m: 1, n: 1 };
  const sides = clusterSides(plan.tile, cluster);
  const clusters = tileCount(problem, sides);
  return problem.batch * (clusters.m * sides.m) * (clusters.n * sides.n) * stagedK(plan);
}

export function wavesOf(
  plan: Plan | null,
  device: Device,
  report: Pick<OccupancyReport, 'blocksPerSm'> | null,
): Waves | null {
  if (plan === null || report === null || report.blocksPerSm === 0) return null;
  const { m, n, k, batch } = plan.spec.problem;
  const { tailBlocks, balance, ...counts } = wavesOfPlan(plan, device, report.blocksPerSm);
  const [useful, executed] = [batch * m * n * k, tileFmas(plan)];
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
