/**
 * Implements the performance regression gate, which compares runs with the runs in a baseline file.
 * A slowdown counts if it exceeds both the allowance and the error of the two medians. Runs from
 * other machines are reported but not compared. An incorrect result always fails.
 */
import { grouped, short } from '../text/numbers';
import type { Measurement, Timing } from './measurement';
import { byOrder } from './runOrder';

export type Verdict =
  /** The slowdown is within the allowance or the measurement error. */
  | 'passed'
  | 'slower'
  /** The result is incorrect, or compilation, launch or execution failed. */
  | 'failed'
  /** The file has no timed run of this kernel on this backend and device. */
  | 'not-compared'
  /** The kernel was not run on this machine, or it was not timed. */
  | 'not-measured';

export interface Gated {
  readonly specKey: string;
  readonly verdict: Verdict;
  readonly message: string;
  readonly measurement: Measurement;
  readonly before?: Measurement;
  /** Change of the median time relative to `before`, in percent; negative if faster. */
  readonly slowdownPercent?: number;
  /** Error of the slowdown in percent: spread and timer error of both runs. */
  readonly errorPercent?: number;
}

/**
 * Returns the error of a median in percent: its relative interquartile range plus the timer error.
 */
export const timingErrorPercent = ({ iqrMs, medianMs, errorPercent }: Timing): number =>
  (100 * iqrMs) / medianMs + errorPercent;

/** Tolerance for rounding errors in the ratio of two medians, in percent. */
const ROUNDING = 1e-9;

export function gate(
  measurement: Measurement,
  against: readonly Measurement[],
  maxSlowdownPercent: number,
): Gated {
  const { specKey, outcome, timing } = measurement;
  const known = { specKey, measurement };
  const detail = measurement.message === undefined ? '' : ` ${measurement.message}`;
  if (outcome === 'constraint' || outcome === 'unavailable' || outcome === 'cancelled') {
    return { ...known, verdict: 'not-measured', message: `${outcome}.${detail}` };
  }
  if (outcome !== 'correct')
    return { ...known, verdict: 'failed', message: `${outcome}.${detail}` };
  if (timing === undefined) {
    return { ...known, verdict: 'not-measured', message: `The kernel was not timed.${detail}` };
  }
  const before = newestBaseline(measurement, against);
  if (before?.timing === undefined) {
    return { ...known, verdict: 'not-compared', message: whyNot(measurement, against) };
  }
  const slowdownPercent = 100 * (timing.medianMs / before.timing.medianMs - 1);
  const errorPercent = timingErrorPercent(timing) + timingErrorPercent(before.timing);
  const beyond = slowdownPercent > maxSlowdownPercent + ROUNDING;
  const slower = beyond && slowdownPercent > errorPercent;
  const figures = `${timing.medianMs.toPrecision(4)} ms, baseline ${before.timing.medianMs.toPrecision(4)} ms: ${percent(slowdownPercent)}, error ${short(errorPercent)} %`;
  const message = slower
    ? `${figures}; allowed: ${short(maxSlowdownPercent)} %.`
    : beyond
      ? `${figures}: within the measurement error.`
      : `${figures}.`;
  return {
    ...known,
    verdict: slower ? 'slower' : 'passed',
    message,
    before,
    slowdownPercent,
    errorPercent,
  };
}

const percent = (slowdown: number): string =>
  slowdown < 0 ? `${short(-slowdown)} % faster` : `${short(slowdown)} % slower`;

const isSameKernelAndMachine = (one: Measurement, other: Measurement): boolean =>
  one.specKey === other.specKey &&
  one.backend === other.backend &&
  one.device.name === other.device.name;

/**
 * Returns the newest comparable run, or the last of several equally new runs. Returns undefined if
 * there is none. A run without a date counts as the oldest.
 */
function newestBaseline(
  measurement: Measurement,
  against: readonly Measurement[],
): Measurement | undefined {
  const candidates = against.filter(
    run => run.timing !== undefined && isSameKernelAndMachine(measurement, run),
  );
  return candidates.reduce<Measurement | undefined>(
    (newest, run) => (newest === undefined || byOrder(run, newest) >= 0 ? run : newest),
    undefined,
  );
}

function whyNot(
  { specKey, device, backend }: Measurement,
  against: readonly Measurement[],
): string {
  const same = against.filter(run => run.specKey === specKey && run.timing !== undefined);
  if (same.length === 0) {
    return `Not compared: the baseline file has no timed run of this kernel (runs in the file: ${grouped(against.length)}). Fix: add a timed run of this kernel to the file.`;
  }
  const places = [...new Set(same.map(run => `${run.device.name} (${run.backend})`))];
  return `Not compared: this run is from ${device.name} (${backend}), but the baseline runs of this kernel are from ${places.join(', ')}. Fix: add a run from this device and backend to the file.`;
}

export interface GateReport {
  /** True if at least one kernel was compared and no kernel was slower, failed or unmeasured. */
  readonly ok: boolean;
  readonly maxSlowdownPercent: number;
  readonly compared: number;
  readonly results: readonly Gated[];
}

export function gateReport(results: readonly Gated[], maxSlowdownPercent: number): GateReport {
  const missed = results.some(({ verdict }) => verdict === 'slower' || verdict === 'failed');
  const compared = results.filter(({ before }) => before !== undefined).length;
  const unmeasured = results.some(({ verdict }) => verdict === 'not-measured');
  return { ok: !missed && !unmeasured && compared > 0, maxSlowdownPercent, compared, results };
}
