/**
 * Counts waves, the empty block slots of the last wave, and the work of partial tiles outside C. A
 * block starts as soon as another block ends, so waves are a count without synchronization.
 * Persistent blocks (`wgmma`) loop over tiles with the same wave count. `raster` changes the order
 * of the tiles and not their number.
 */
import type { Device } from '../hardware/devices';
import type { KernelFamily, Plan } from '../plan/plan';
import { clusterSides, tileCount } from '../plan/tileCount';
import { residentClusters, clustersOf } from '../plan/wgmma/wgmma';
import type { OccupancyReport, Waves } from './report';
import { significant } from '../text/numbers';
import { stagedK } from '../plan/traffic';
import { figure } from '../text/figure';

export interface WaveCounts {
  readonly tiles: number;
  readonly blocksPerWave: number;
  readonly waves: number;
  readonly tailBlocks: number;
  /** Blocks divided by the block slots of all waves, 0..1. */
  readonly efficiency: number;
  /** Load balance: average blocks per SM divided by the blocks of the busiest SM, 0..1. */
  readonly balance: number;
}

export const balanceText = (balance: number): string => `${significant(100 * balance)} %`;

/**
 * Counts waves. `blocksPerSm` must be at least 1. Clusters may reduce `blocksPerWave` below the
 * number of blocks that fit on all SMs.
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
 * Counts the waves of a plan. `wgmma` kernels launch whole clusters, which include split-K slices
 * and tiles outside C.
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
 * Counts the FMAs of the kernel. Partial tiles and clusters count as full: they take as long, since
 * their lanes idle or compute unused results. `stagedK` determines whether a partial K tile counts
 * as full.
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
