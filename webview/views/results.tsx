/** What was measured of this configuration: verdict and time, with the error, the timer and the machine. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import type {
  Measurement,
  Outcome,
  Timing,
  Verification,
} from '../../src/core/measure/measurement';
import type { Roofline } from '../../src/core/analysis/analysis';
import { machineOf } from '../../src/core/analysis/roofline';
import { largestErrorText } from '../../src/core/verify/largestErrorText';
import { formatMilliseconds, formatNumber, formatPercent, formatRate } from '../format';
import { Disclosure } from './disclosure';
import { OriginTag, Section, Table } from './figure';
import { fill } from './fill';
import { later } from './later';

const WrongResult = later(parts => parts.WrongResult, 24);

export const outcomeText = (outcome: Outcome): string =>
  ({
    correct: t('Correct'),
    incorrect: t('Wrong result'),
    'compile-error': t('Does not compile'),
    'launch-error': t('Failed on the device'),
    constraint: t('Beyond a limit of this backend'),
    timeout: t('Stopped: it took too long'),
    cancelled: t('Cancelled'),
    unavailable: t('Could not run'),
  })[outcome];

export interface ResultsProps {
  /** Newest last. */
  readonly runs: readonly Measurement[];
  readonly rooflines: readonly Roofline[];
}

export function Results({ runs, rooflines }: ResultsProps): VNode {
  const latest = runs.at(-1);
  return (
    <Section
      id="results"
      title={t('Measured')}
      {...(latest === undefined ? {} : { of: placeOf(latest) })}
    >
      {latest === undefined ? (
        <p class="hint">
          {t(
            'Not run yet. Verify compares C with a reference in higher precision; Benchmark times it too.',
          )}
        </p>
      ) : (
        <Result run={latest} roofTflops={roofOf(latest, rooflines)} />
      )}
      {runs.length > 1 ? <Earlier runs={runs.slice(0, -1)} /> : null}
    </Section>
  );
}

/** The adapter says more than the name where they differ. */
export const placeOf = ({ device }: Measurement): string =>
  [...new Set([device.name, device.adapter])].filter(text => text !== '').join(', ') +
  ` (${device.where})`;

/** What is attainable on the machine of a run: a point is compared with its own roofline only. */
export function roofOf(run: Measurement, rooflines: readonly Roofline[]): number | null {
  const own = rooflines.find(({ points }) =>
    points.some(({ kind, machine }) => kind === 'measured' && machine === machineOf(run)),
  );
  return own !== undefined && Number.isFinite(own.attainable.value) ? own.attainable.value : null;
}

interface ResultProps {
  readonly run: Measurement;
  readonly roofTflops: number | null;
}

function Result({ run, roofTflops }: ResultProps): VNode {
  const { outcome, message, timing, verification } = run;
  return (
    <>
      <p class={`verdict ${outcome === 'correct' ? 'good' : 'bad'}`}>
        <b>{outcomeText(outcome)}</b> <span lang="en">{message ?? ''}</span>
      </p>
      <dl class="facts">
        <Checked verification={verification} />
        {timing === undefined ? null : <Timed timing={timing} roofTflops={roofTflops} />}
        {run.baseline === undefined ? null : (
          <Row name={run.baseline.name}>
            {t(
              '{0}, {1}; this kernel {2}x',
              formatRate(run.baseline.gflops),
              timerError(run.baseline.errorPercent),
              formatNumber(run.baseline.ratio),
            )}
          </Row>
        )}
        <Row name={t('driver')}>{run.device.driver}</Row>
      </dl>
      {verification.wrong === undefined ? null : <WrongResult run={run} />}
    </>
  );
}

const Row = (props: { name: string; children: ComponentChildren }): VNode => (
  <>
    <dt>{props.name}</dt>
    <dd>{props.children}</dd>
  </>
);

function Checked({ verification }: { readonly verification: Verification }): VNode | null {
  const { reference, mismatches, samples } = verification;
  if (samples === 0) return null;
  return (
    <>
      <Row name={t('compared')}>
        {fill(
          t('{0} elements with {1}'),
          <span class="number">{formatNumber(samples)}</span>,
          <span lang="en">{reference}</span>,
        )}
      </Row>
      <Row name={t('largest error')}>
        {largestErrorText(verification, formatNumber)}
        {mismatches === 0 ? '' : t(', {0} outside', formatNumber(mismatches))}{' '}
        <OriginTag from="measured" />
      </Row>
    </>
  );
}

/** Lines of older versions do not say it. */
function errorText(percent: number | undefined): string {
  if (percent === undefined) return t('not known');
  return percent < 0.01 ? t('below {0} %', formatNumber(0.01)) : t('{0} %', formatNumber(percent));
}

const timerError = (percent: number | undefined): string =>
  t('timer error {0}', errorText(percent));

const launches = (count: number): string =>
  count === 1 ? t('1 launch') : t('{0} launches', formatNumber(count));

function samplesText({ samples, batch }: Timing): string {
  if (batch === undefined) {
    return samples === 1 ? t('1 sample') : t('{0} samples', formatNumber(samples));
  }
  return samples === 1
    ? t('1 sample of {0}', launches(batch))
    : t('{0} samples of {1}', formatNumber(samples), launches(batch));
}

interface TimedProps {
  readonly timing: Timing;
  readonly roofTflops: number | null;
}

function Timed({ timing, roofTflops }: TimedProps): VNode {
  const error = timerError(timing.errorPercent);
  return (
    <>
      <Row name={t('rate')}>
        <span class="number">{formatRate(timing.gflops)}</span> <OriginTag from="measured" />,{' '}
        {error}
        {roofTflops === null
          ? ''
          : t(', {0} of the roof', formatPercent(timing.gflops / 1000 / roofTflops))}
      </Row>
      <Row name={t('median time')}>
        <span class="number">{formatMilliseconds(timing.medianMs)}</span>{' '}
        <OriginTag from="measured" />, {error}
      </Row>
      <Row name={t('spread')}>
        {t(
          'interquartile range {0}, least {1}',
          formatMilliseconds(timing.iqrMs),
          formatMilliseconds(timing.minMs),
        )}
      </Row>
      <Row name={t('timer')}>
        {t(
          '{0}, step {1} ns; {2}, after {3} to warm up',
          timing.timer,
          formatNumber(timing.quantumNs),
          samplesText(timing),
          launches(timing.warmUp),
        )}
      </Row>
      <Row name={t('inputs')}>{t('{0}; cache {1}', timing.inputs, timing.cache)}</Row>
    </>
  );
}

const Earlier = ({ runs }: { readonly runs: readonly Measurement[] }): VNode => (
  <Disclosure
    summary={runs.length === 1 ? t('One earlier run') : t('{0} earlier runs', runs.length)}
  >
    {() => (
      <Table
        caption={t('Earlier runs of this configuration, newest first')}
        columns={[t('machine'), t('outcome'), t('median'), t('rate'), t('timer error')]}
        numeric={[2, 3, 4]}
        rows={runs
          .toReversed()
          .map(run => [
            placeOf(run),
            outcomeText(run.outcome),
            run.timing === undefined ? '' : formatMilliseconds(run.timing.medianMs),
            run.timing === undefined ? '' : formatRate(run.timing.gflops),
            run.timing === undefined ? '' : errorText(run.timing.errorPercent),
          ])}
      />
    )}
  </Disclosure>
);
