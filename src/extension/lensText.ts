/** What stands above a kernel: its occupancy, and how far its newest run came. Pure. */
import type { Analysis, Roofline } from '../core/analysis/analysis';
import { machineOf } from '../core/analysis/roofline';
import { hashText } from '../core/emit/hash';
import type { Measurement } from '../core/measure/measurement';
import { doubtText } from './resultText';

const percent = (fraction: number): string => {
  const value = fraction * 100;
  return `${value >= 10 ? value.toFixed(0) : value.toPrecision(2)} %`;
};

/** `occupancy 50 % (registers)`; null where no rules are known. */
export function occupancyText({ occupancy }: Analysis): string | null {
  if (occupancy === null) return null;
  return `occupancy ${percent(occupancy.occupancy)} (${occupancy.limiters.join(', ')})`;
}

/** The roofline of the machine that made a run; undefined where the run was not timed. */
export function rooflineOfRun(
  { roofline, machineRooflines }: Analysis,
  run: Measurement,
): Roofline | undefined {
  const machine = machineOf(run);
  return [roofline, ...machineRooflines].find(({ points }) =>
    points.some(point => point.kind === 'measured' && point.machine === machine),
  );
}

/** How far the newest measured point stands below the roof of the machine that made it. */
export function roofText(analysis: Analysis, newest: Measurement | undefined): string {
  if (newest?.timing === undefined) return 'not measured';
  const tflops = newest.timing.gflops / 1000;
  const roof = rooflineOfRun(analysis, newest)?.attainable.value ?? NaN;
  return Number.isFinite(roof)
    ? `${percent(tflops / roof)} of roof`
    : `${newest.timing.gflops.toPrecision(3)} GFLOP/s`;
}

/** The newest time with the error of its timer, and the machine that made it. */
export function runText(newest: Measurement | undefined): string {
  if (newest?.timing === undefined) return 'No run of this text yet';
  const rate = Number(newest.timing.gflops.toPrecision(3));
  return `${rate} GFLOP/s (${doubtText(newest.timing)}) on ${newest.device.name}`;
}

/** Whether a run was of exactly this text: an edited kernel never shows its parent's numbers. */
export function isRunOf(source: string): (run: Measurement) => boolean {
  const hash = hashText(source);
  return run => run.sourceHash === hash;
}
