/**
 * The regression gate: runs compared with those of a file. A slowdown counts where it is more than allowed and more than
 * both medians may be wrong by; other machines are told and not compared; a wrong result never passes.
 */
import { grouped, short } from '../text/numbers';
import type { Measurement, Timing } from './measurement';

export type Verdict =
  /** Not slower than allowed. */
  | 'passed'
  | 'slower'
  /** Wrong, or it did not run to its end. */
  | 'failed'
  /** Nothing in the file is of this kernel and machine. */
  | 'not-compared'
  /** This machine could not run it. */
  | 'not-measured';

export interface Gated {
  readonly specKey: string;
  readonly verdict: Verdict;
  readonly message: string;
  readonly measurement: Measurement;
  /** The newest run of the same kernel, backend and device. */
  readonly before?: Measurement;
  /** Of the median, against that of `before`; negative where it is faster. */
  readonly slowdownPercent?: number;
  /** What the slowdown may be wrong by: spread and timer of both. */
  readonly errorPercent?: number;
}

/** Spread of a median and the timer's part, in percent of it. */
export const doubtPercent = ({ iqrMs, medianMs, errorPercent }: Timing): number =>
  (100 * iqrMs) / medianMs + errorPercent;

/** Rounding of a quotient of two medians, in percent. */
const ROUNDING = 1e-9;

export function gate(
  measurement: Measurement,
  against: readonly Measurement[],
  maxSlowdownPercent: number,
): Gated {
  const { specKey, outcome, timing } = measurement;
  const known = { specKey, measurement };
  const said = measurement.message === undefined ? '' : ` ${measurement.message}`;
  if (outcome === 'constraint' || outcome === 'unavailable' || outcome === 'cancelled') {
    return { ...known, verdict: 'not-measured', message: `${outcome}.${said}` };
  }
  if (outcome !== 'correct') return { ...known, verdict: 'failed', message: `${outcome}.${said}` };
  if (timing === undefined) {
    return { ...known, verdict: 'not-measured', message: `It was not timed.${said}` };
  }
  const before = newestAlike(measurement, against);
  if (before?.timing === undefined) {
    return { ...known, verdict: 'not-compared', message: whyNot(measurement, against) };
  }
  const slowdownPercent = 100 * (timing.medianMs / before.timing.medianMs - 1);
  const errorPercent = doubtPercent(timing) + doubtPercent(before.timing);
  const beyond = slowdownPercent > maxSlowdownPercent + ROUNDING;
  const slower = beyond && slowdownPercent > errorPercent;
  const figures = `${timing.medianMs.toPrecision(4)} ms against ${before.timing.medianMs.toPrecision(4)} ms: ${percent(slowdownPercent)}, known to ${short(errorPercent)} %`;
  const message = slower
    ? `${figures}; ${short(maxSlowdownPercent)} % are allowed.`
    : beyond
      ? `${figures}: no more than the error.`
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

const isAlike = (one: Measurement, other: Measurement): boolean =>
  one.specKey === other.specKey &&
  one.backend === other.backend &&
  one.device.name === other.device.name;

/** The last of those with the latest time; runs without a time come before all others. */
function newestAlike(
  measurement: Measurement,
  against: readonly Measurement[],
): Measurement | undefined {
  const alike = against.filter(run => run.timing !== undefined && isAlike(measurement, run));
  return alike.reduce<Measurement | undefined>(
    (newest, run) => ((run.at ?? '') >= (newest?.at ?? '') ? run : newest),
    undefined,
  );
}

function whyNot(
  { specKey, device, backend }: Measurement,
  against: readonly Measurement[],
): string {
  const same = against.filter(run => run.specKey === specKey && run.timing !== undefined);
  if (same.length === 0) {
    return `None of the ${grouped(against.length)} runs is a timed one of this kernel: nothing to compare with.`;
  }
  const places = [...new Set(same.map(run => `${run.device.name} (${run.backend})`))];
  return `It ran on ${device.name} (${backend}), and the runs of this kernel are of ${places.join(', ')}: not compared.`;
}

export interface GateReport {
  /** Every one was compared, or there was nothing to compare it with, and none was slower or failed. */
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
