/** One-line summary of a measurement for a notification, which VS Code may truncate. */
import { t } from '@vscode/l10n';
import { rateWithInterval, uncertainText } from '../../core/measure/intervalText';
import { shortName } from '../../core/plan/shortName';
import type { Measurement, Outcome, Timing } from '../../core/measure/measurement';

const digits = (value: number): number => Number(value.toPrecision(3));

const percent = (value: number): string =>
  value < 0.01 ? t('below {0} %', numberText(0.01)) : t('{0} %', numberText(digits(value)));

const numberText = (value: number): string =>
  value.toLocaleString(t('en'), { useGrouping: false, maximumFractionDigits: 20 });

/** Formats the interquartile range of a time and the timer error, in percent. */
export const doubtText = ({ iqrMs, medianMs, errorPercent }: Timing): string =>
  t('IQR {0}, timer error {1}', percent((100 * iqrMs) / medianMs), percent(errorPercent));

export function resultText(measurement: Measurement): string {
  const { outcome, message, verification, timing, device } = measurement;
  const name = shortNameOf(measurement);
  const words = message === undefined ? '' : ` ${message}`;
  if (outcome !== 'correct') return `${outcomeWord(outcome)}.${words} (${name})`;
  const { samples, maxError } = verification;
  const verdict =
    timing === undefined
      ? t('Correct')
      : t(
          'Correct, {0}, {1} ms',
          [rateWithInterval(timing), uncertainText(timing)].filter(Boolean).join(', '),
          numberText(digits(timing.medianMs)),
        );
  const compared =
    maxError === null
      ? t('{0} elements compared', numberText(samples))
      : t('{0} elements, largest error {1}', numberText(samples), maxError.toExponential(1));
  return `${t('{0}: {1} on {2}, {3}.', verdict, name, device.name, compared)}${words}`;
}

/** Returns the short name of the spec, or the key of a hand-written kernel. */
export const shortNameOf = ({ resolved, specKey }: Pick<Measurement, 'resolved' | 'specKey'>) =>
  resolved === null ? specKey : shortName(resolved);

const outcomeWord = (outcome: Exclude<Outcome, 'correct'>): string =>
  ({
    incorrect: t('Incorrect'),
    'compile-error': t('Compile error'),
    'launch-error': t('Launch error'),
    constraint: t('Constraint'),
    timeout: t('Timeout'),
    cancelled: t('Cancelled'),
    unavailable: t('Unavailable'),
  })[outcome];

/**
 * Returns whether reloading the window may help. After these outcomes of a WebGPU run in the
 * window, the GPU may be lost or a kernel may hang.
 */
export const reloadHelps = ({ backend, outcome, device }: Measurement): boolean =>
  backend === 'webgpu' &&
  device.where !== 'browser' &&
  (outcome === 'timeout' || outcome === 'launch-error' || outcome === 'unavailable');

export const severityOf = ({ outcome }: Measurement): 'information' | 'warning' | 'error' => {
  if (outcome === 'correct') return 'information';
  return outcome === 'cancelled' || outcome === 'unavailable' || outcome === 'constraint'
    ? 'warning'
    : 'error';
};
