/** A measurement in one line, for a notification, which may show only its beginning. Pure. */
import type { Measurement } from '../core/measure/measurement';

const digits = (value: number): string => String(Number(value.toPrecision(3)));

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
      : `, ${digits(timing.gflops)} GFLOP/s ± ${digits(timing.errorPercent)} % (${digits(timing.medianMs)} ms)`;
  return `Correct${speed}: ${specKey} on ${device.name}, ${samples} elements${error}.${words}`;
}

/** Worth a warning or an error, or just to be known. */
export const severityOf = ({ outcome }: Measurement): 'information' | 'warning' | 'error' => {
  if (outcome === 'correct') return 'information';
  return outcome === 'cancelled' || outcome === 'unavailable' || outcome === 'constraint'
    ? 'warning'
    : 'error';
};
