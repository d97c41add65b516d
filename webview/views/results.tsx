/** Measurements of this configuration: verdict, error, time, timer and machine. */
import { t } from '@vscode/l10n';
import { speedUp } from '../../src/core/measure/intervals';
import {
  ratioText,
  rateWithInterval,
  timeIntervalText,
  uncertainText,
} from '../../src/core/measure/intervalText';
import type { ComponentChildren, VNode } from 'preact';
import { energyOrReason } from '../../src/core/measure/energyText';
import { backendName } from '../../src/core/measure/backendName';
import { conditionsText } from '../../src/core/measure/conditionsText';
import type {
  Measurement,
  Outcome,
  Timing,
  Verification,
} from '../../src/core/measure/measurement';
import type { Roofline } from '../../src/core/roofline/contract';
import { machineOf } from '../../src/core/roofline/roofline';
import { deviceOf, matchDevice } from '../../src/core/hardware/devices';
import type { NewestRun } from '../../src/core/measure/newestRuns';
import { passedChecks } from '../../src/core/simulate/passedChecks';
import { largestErrorText } from '../../src/core/verify/largestErrorText';
import { formatMilliseconds, formatNumber, formatPercent } from '../format';
import { useStaticPage } from '../staticPage';
import { Disclosure } from './disclosure';
import { OriginTag, Section, Table } from './figure';
import { fill } from './fill';
import { later } from './later';
import { whenText } from './rooflineTexts';

const WrongResult = later(parts => parts.WrongResult, 24);

export const outcomeText = (outcome: Outcome): string =>
  ({
    correct: t('Correct'),
    incorrect: t('Incorrect result'),
    'compile-error': t('Compile error'),
    'launch-error': t('Launch failed'),
    constraint: t('Exceeds backend limit'),
    timeout: t('Timed out'),
    cancelled: t('Cancelled'),
    unavailable: t('Not available'),
  })[outcome];

export interface ResultsProps {
  /** One run per backend, newest last. */
  readonly newest: readonly NewestRun[];
  /** Newest last. */
  readonly earlier: readonly Measurement[];
  readonly rooflines: readonly Roofline[];
  /** Content at the end of the section. */
  readonly after?: ComponentChildren;
}

export function Results({ newest, earlier, rooflines, after }: ResultsProps): VNode {
  const latest = newest.at(-1);
  const isStatic = useStaticPage();
  return (
    <Section
      id="results"
      title={t('Measured')}
      {...(latest === undefined ? {} : { of: placeOf(latest.run) })}
    >
      {newest.length === 0 ? (
        <p class="hint">
          {isStatic
            ? t('This file contains no runs.')
            : t('Not run yet. Benchmark also verifies the result.')}
        </p>
      ) : (
        newest
          .toReversed()
          .map(({ run, stale }, index) => (
            <Result
              key={run.backend}
              run={run}
              stale={stale}
              place={index === 0 ? null : placeOf(run)}
              roofTflops={attainableOnMachine(run, rooflines)}
            />
          ))
      )}
      {earlier.length > 0 ? <Earlier runs={earlier} /> : null}
      {after}
    </Section>
  );
}

export const placeOf = ({ device }: Measurement): string =>
  [...new Set([device.name, device.adapter])].filter(text => text !== '').join(', ') +
  ` (${device.where})`;

/**
 * Returns the attainable rate on the machine of a run in TFLOP/s; null if no roofline of the
 * machine exists or the rate is not finite.
 */
export function attainableOnMachine(
  run: Measurement,
  rooflines: readonly Roofline[],
): number | null {
  const own = rooflines.find(roofline => ranOnMachine(run, roofline));
  return own !== undefined && Number.isFinite(own.attainable.value) ? own.attainable.value : null;
}

/**
 * Returns whether a roofline describes the machine of a run or its device model, or has a point
 * measured on the machine.
 */
export function ranOnMachine(run: Measurement, { machine, points }: Roofline): boolean {
  const own = machineOf(run);
  const id = matchDevice(run.device.name) ?? matchDevice(run.device.adapter);
  return (
    machine === own ||
    (id !== undefined && machine === deviceOf(id).name) ||
    points.some(point => point.kind === 'measured' && point.machine === own)
  );
}

interface ResultProps {
  readonly run: Measurement;
  /** True unless the run measured the current kernel source. */
  readonly stale: boolean;
  /** Device, adapter and host of the run; null if the section heading shows them. */
  readonly place: string | null;
  readonly roofTflops: number | null;
}

function Result({ run, stale, place, roofTflops }: ResultProps): VNode {
  const { outcome, message, timing, verification, backend, at } = run;
  const checks = passedChecks(run);
  const energy = energyOrReason(run);
  return (
    <>
      {place === null ? null : <h3>{place}</h3>}
      <p class={`verdict ${outcome === 'correct' ? 'good' : 'bad'}`}>
        <b>{outcomeText(outcome)}</b> <span lang="en">{message ?? ''}</span>
      </p>
      {stale ? (
        <p class="stale-run">
          <b>{t('Stale:')}</b>{' '}
          {t('the kernel source changed after this run. Fix: run the kernel again.')}
        </p>
      ) : null}
      <dl class="facts">
        <Row name={t('backend')}>
          {[backendName(backend), ...(at === undefined ? [] : [whenText(at)])].join(', ')}
        </Row>
        <Checked verification={verification} />
        {checks === undefined ? null : <Row name={t('accesses')}>{checks}</Row>}
        {timing === undefined ? null : <Timed timing={timing} roofTflops={roofTflops} />}
        {energy === undefined ? null : <Row name={t('energy')}>{energy}</Row>}
        {run.baseline === undefined ? null : (
          <Row name={run.baseline.name}>
            {t(
              '{0}; this kernel {1}',
              rateWithInterval(run.baseline),
              ratioText(
                timing === undefined
                  ? { value: run.baseline.ratio }
                  : speedUp(timing, run.baseline),
              ),
            )}
          </Row>
        )}
        {isKnown(run.device.driver) ? <Row name={t('driver')}>{run.device.driver}</Row> : null}
      </dl>
      {verification.wrong === undefined ? null : <WrongResult run={run} />}
    </>
  );
}

/** Backends without a driver, and adapters that hide it, report no name. */
const isKnown = (driver: string): boolean => !['', 'none', 'unknown'].includes(driver);

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
          t('{0} elements compared with {1}'),
          <span class="number">{formatNumber(samples)}</span>,
          <span lang="en">{reference}</span>,
        )}
      </Row>
      <Row name={t('largest error')}>
        {largestErrorText(verification, formatNumber)}
        {mismatches === 0 ? '' : t(', {0} out of tolerance', formatNumber(mismatches))}{' '}
        <OriginTag from="measured" />
      </Row>
    </>
  );
}

const errorText = (percent: number): string =>
  percent < 0.01 ? t('below {0} %', formatNumber(0.01)) : t('{0} %', formatNumber(percent));

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
  const warning = uncertainText(timing);
  const conditions = conditionsText(timing);
  return (
    <>
      <Row name={t('rate')}>
        <span class="number">{rateWithInterval(timing)}</span> <OriginTag from="measured" />
        {roofTflops === null
          ? ''
          : t(', {0} of attainable', formatPercent(timing.gflops / 1000 / roofTflops))}
      </Row>
      {warning === undefined ? null : <Row name={t('warning')}>{warning}</Row>}
      <Row name={t('median time')}>
        <span class="number">{formatMilliseconds(timing.medianMs)}</span>{' '}
        <OriginTag from="measured" />, {timeIntervalText(timing)}
      </Row>
      <Row name={t('spread')}>
        {t(
          'interquartile range {0}, minimum {1}',
          formatMilliseconds(timing.iqrMs),
          formatMilliseconds(timing.minMs),
        )}
      </Row>
      <Row name={t('timer')}>
        {t(
          '{0}, resolution {1} ns, error {2}; {3} after a warm-up of {4}',
          timing.timer,
          formatNumber(timing.quantumNs),
          errorText(timing.errorPercent),
          samplesText(timing),
          launches(timing.warmUp),
        )}
      </Row>
      {conditions === '' ? null : <Row name={t('GPU state')}>{conditions}</Row>}
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
        columns={[t('machine'), t('outcome'), t('median'), t('rate (95 % interval)')]}
        numeric={[2, 3]}
        rows={runs
          .toReversed()
          .map(run => [
            placeOf(run),
            outcomeText(run.outcome),
            run.timing === undefined ? '' : formatMilliseconds(run.timing.medianMs),
            run.timing === undefined ? '' : rateWithInterval(run.timing),
          ])}
      />
    )}
  </Disclosure>
);
