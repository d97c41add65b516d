/** What stands above a kernel: its occupancy, and how far its newest run came. Pure. */
import type { Analysis, Roofline } from '../core/analysis/analysis';
import { kernelKey } from '../core/emit/hash';
import { KERNEL_FLAGS } from '../host/nvcc';
import type { Measurement } from '../core/measure/measurement';

const percent = (fraction: number): string => {
  const value = fraction * 100;
  return `${value >= 10 ? value.toFixed(0) : value.toPrecision(2)} %`;
};

/** `occupancy 50 % (registers)`; null where no rules are known. */
export function occupancyText({ occupancy }: Analysis): string | null {
  if (occupancy === null) return null;
  return `occupancy ${percent(occupancy.occupancy)} (${occupancy.limiters.join(', ')})`;
}

/** How far the newest measured point stands below the roof of the machine that made it. */
export function roofText(analysis: Analysis, newest: Measurement | undefined): string {
  if (newest?.timing === undefined) return 'not measured';
  const tflops = newest.timing.gflops / 1000;
  const made = (roofline: Roofline): boolean =>
    roofline.points.some(point => point.kind === 'measured' && point.tflops === tflops);
  const roofline = [analysis.roofline, ...analysis.machineRooflines].find(made);
  const roof = roofline?.attainable.value ?? NaN;
  return Number.isFinite(roof)
    ? `${percent(tflops / roof)} of roof`
    : `${newest.timing.gflops.toPrecision(3)} GFLOP/s`;
}

/**
 * Whether a run was of exactly this text: an edited kernel never shows its parent's numbers. The key is
 * computed again from the text and what the run says of its machine; `nvccBuild` is that of the nvcc here.
 */
export const isRunOf =
  (source: string, nvccBuild: string | undefined) =>
  (run: Measurement): boolean =>
    run.kernelKey === keyOn(run, source, nvccBuild);

function keyOn(run: Measurement, source: string, nvccBuild = ''): string | undefined {
  const { adapter } = run.device;
  if (run.backend === 'webgpu') {
    return kernelKey({ source, architecture: adapter, compiler: 'tint', flags: [] });
  }
  const capability = /^compute capability (\d+)\.(\d+)$/.exec(adapter);
  if (run.backend !== 'cuda' || capability === null) return undefined;
  const architecture = `sm_${capability[1]}${capability[2]}`;
  return kernelKey({ source, architecture, compiler: `nvcc ${nvccBuild}`, flags: KERNEL_FLAGS });
}
