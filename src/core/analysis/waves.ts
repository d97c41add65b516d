/** Waves: how often a GPU fills with the blocks of a kernel, and what its last wave leaves empty. */
import type { Device } from '../device/devices';
import type { Plan } from '../plan/plan';
import type { OccupancyReport, Waves } from './analysis';

export function wavesOf(
  plan: Plan | null,
  device: Device,
  report: Pick<OccupancyReport, 'blocksPerSm'> | null,
): Waves | null {
  if (plan === null || report === null || report.blocksPerSm === 0) return null;
  const { grid, tile } = plan;
  const { m, n, k } = plan.spec.problem;
  const tiles = grid.x * grid.y * grid.z;
  const blocksPerWave = device.multiprocessors * report.blocksPerSm;
  const waves = Math.ceil(tiles / blocksPerWave);
  const up = (size: number, extent: number) =>
    extent === 0 ? size : Math.ceil(size / extent) * extent;
  const padded = up(m, tile.m) * up(n, tile.n) * up(k, tile.k);
  return {
    ...{ tiles, blocksPerWave, waves, efficiency: tiles / (waves * blocksPerWave) },
    paddingFlopFraction: 1 - (m * n * k) / padded,
  };
}
