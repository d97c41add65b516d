/**
 * Waves: how often a GPU fills with the blocks of a kernel, what its last wave leaves empty, and what tiles compute
 * outside of C. Blocks start as others end, so a wave is a count, not a barrier. Persistent blocks (`wgmma`) take
 * their next tile instead, which counts the same; `raster` changes which tile a block takes, not how many there are.
 */
import type { Device } from '../device/devices';
import type { Plan } from '../plan/plan';
import { figure, type OccupancyReport, type Waves } from './analysis';
import { stagedDepth } from './traffic';

/** Counts of a grid of blocks on a GPU. */
export interface WaveCounts {
  readonly tiles: number;
  readonly blocksPerWave: number;
  readonly waves: number;
  readonly tailBlocks: number;
  /** Work of all waves over capacity of all waves, 0..1. */
  readonly efficiency: number;
  readonly balance: number;
}

/** `blocksPerSm` is at least 1. */
export function countWaves(
  tiles: number,
  multiprocessors: number,
  blocksPerSm: number,
): WaveCounts {
  const blocksPerWave = multiprocessors * blocksPerSm;
  const waves = Math.ceil(tiles / blocksPerWave);
  return {
    tiles,
    blocksPerWave,
    waves,
    tailBlocks: tiles - (waves - 1) * blocksPerWave,
    efficiency: tiles / (waves * blocksPerWave),
    balance: tiles / multiprocessors / Math.ceil(tiles / multiprocessors),
  };
}

/**
 * Multiply-adds of whole tiles: edges of C are computed as whole ones (a kernel that stages nothing leaves those lanes
 * idle, which takes as long); along K only a pipeline fills its first tile up.
 */
export function tileMultiplyAdds(plan: Pick<Plan, 'spec' | 'tile' | 'laned'>): number {
  const { m, n, batch } = plan.spec.problem;
  const up = (size: number, extent: number): number => Math.ceil(size / extent) * extent;
  return batch * up(m, plan.tile.m) * up(n, plan.tile.n) * stagedDepth(plan);
}

export function wavesOf(
  plan: Plan | null,
  device: Device,
  report: Pick<OccupancyReport, 'blocksPerSm'> | null,
): Waves | null {
  if (plan === null || report === null || report.blocksPerSm === 0) return null;
  const { grid } = plan;
  const { m, n, k, batch } = plan.spec.problem;
  const { tailBlocks, balance, ...counts } = countWaves(
    grid.x * grid.y * grid.z,
    device.multiprocessors,
    report.blocksPerSm,
  );
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
