/** A measurement in one line, for a notification, which may show only its beginning. Pure. */
import type { Measurement, Timing } from '../core/measure/measurement';

const digits = (value: number): string => String(Number(value.toPrecision(3)));

const percent = (value: number): string => (value < 0.01 ? 'below 0.01 %' : `${digits(value)} %`);

/** How far a time may be believed: its spread, and what its timer allows. */
export const doubtText = ({ iqrMs, medianMs, errorPercent }: Timing): string =>
  `IQR ${percent((100 * iqrMs) / medianMs)}, timer error ${percent(errorPercent)}`;

export function resultText(measurement: Measurement): string {
  const { specKey, outcome, message, verification, timing, device } = measurement;
  const words = message === undefined ? '' : ` ${message}`;
  if (outcome !== 'correct') {
    return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}.${words} (${specKey})`;
  }
  const { samples, maxError } = verification;
  const error = maxError === null ? '' : `, largest error ${maxError.toExponential(1)}`;
  const speed =
    timing === undefined
      ? ''
      : `, ${digits(timing.gflops)} GFLOP/s (${digits(timing.medianMs)} ms, ${doubtText(timing)})`;
  return `Correct${speed}: ${specKey} on ${device.name}, ${samples} elements${error}.${words}`;
}

/** Worth a warning or an error, or just to be known. */
export const severityOf = ({ outcome }: Measurement): 'information' | 'warning' | 'error' => {
  if (outcome === 'correct') return 'information';
  return outcome === 'cancelled' || outcome === 'unavailable' || outcome === 'constraint'
    ? 'warning'
    : 'error';
};
