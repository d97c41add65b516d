/** What was measured of this configuration: verdict and time, with the error, the timer and the machine. */
import type { ComponentChildren, VNode } from 'preact';
import type {
  Measurement,
  Outcome,
  Timing,
  Verification,
} from '../../src/core/measure/measurement';
import type { Roofline } from '../../src/core/analysis/analysis';
import { machineOf } from '../../src/core/analysis/roofline';
import { formatMilliseconds, formatNumber, formatPercent, formatRate } from '../format';
import { OriginTag, Section, Table } from './figure';

const OUTCOME_TEXT: Readonly<Record<Outcome, string>> = {
  correct: 'Correct',
  incorrect: 'Wrong result',
  'compile-error': 'Does not compile',
  'launch-error': 'Failed on the device',
  constraint: 'Beyond a limit of this backend',
  timeout: 'Stopped: it took too long',
  cancelled: 'Cancelled',
  unavailable: 'Could not run',
};

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
      title="Measured"
      {...(latest === undefined ? {} : { of: placeOf(latest) })}
    >
      {latest === undefined ? (
        <p class="hint">
          Not run yet. Verify compares C with a reference in higher precision; Benchmark times it
          too.
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
function roofOf(run: Measurement, rooflines: readonly Roofline[]): number | null {
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
        <b>{OUTCOME_TEXT[outcome]}</b> {message ?? ''}
      </p>
      <dl class="facts">
        <Checked verification={verification} />
        {timing === undefined ? null : <Timed timing={timing} roofTflops={roofTflops} />}
        {run.baseline === undefined ? null : (
          <Row name={run.baseline.name}>
            {formatRate(run.baseline.gflops)}, timer error {errorText(run.baseline.errorPercent)};
            this kernel {formatNumber(run.baseline.ratio)}x
          </Row>
        )}
        <Row name="driver">{run.device.driver}</Row>
      </dl>
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
  const { reference, maxError, bound, mismatches, samples } = verification;
  if (samples === 0) return null;
  return (
    <>
      <Row name="compared">
        <span class="number">{formatNumber(samples)}</span> elements with {reference}
      </Row>
      <Row name="largest error">
        <span class="number">{maxError === null ? 'not finite' : formatNumber(maxError)}</span>
        {bound === null ? '' : `, bound ${formatNumber(bound)}`}
        {mismatches === 0 ? '' : `, ${formatNumber(mismatches)} outside`}{' '}
        <OriginTag from="measured" />
      </Row>
    </>
  );
}

/** Lines of older versions do not say it. */
function errorText(percent: number | undefined): string {
  if (percent === undefined) return 'not known';
  return percent < 0.01 ? 'below 0.01 %' : `${formatNumber(percent)} %`;
}

const count = (n: number, one: string, many = `${one}s`): string =>
  `${formatNumber(n)} ${n === 1 ? one : many}`;

interface TimedProps {
  readonly timing: Timing;
  readonly roofTflops: number | null;
}

function Timed({ timing, roofTflops }: TimedProps): VNode {
  const { errorPercent, batch } = timing;
  const error = `timer error ${errorText(errorPercent)}`;
  return (
    <>
      <Row name="rate">
        <span class="number">{formatRate(timing.gflops)}</span> <OriginTag from="measured" />,{' '}
        {error}
        {roofTflops === null
          ? ''
          : `, ${formatPercent(timing.gflops / 1000 / roofTflops)} of the roof`}
      </Row>
      <Row name="median time">
        <span class="number">{formatMilliseconds(timing.medianMs)}</span>{' '}
        <OriginTag from="measured" />, {error}
      </Row>
      <Row name="spread">
        interquartile range {formatMilliseconds(timing.iqrMs)}, least{' '}
        {formatMilliseconds(timing.minMs)}
      </Row>
      <Row name="timer">
        {timing.timer}, step {formatNumber(timing.quantumNs)} ns; {count(timing.samples, 'sample')}
        {batch === undefined ? '' : ` of ${count(batch, 'launch', 'launches')}`}, after{' '}
        {count(timing.warmUp, 'launch', 'launches')} to warm up
      </Row>
      <Row name="inputs">
        {timing.inputs}; cache {timing.cache}
      </Row>
    </>
  );
}

const Earlier = ({ runs }: { readonly runs: readonly Measurement[] }): VNode => (
  <details>
    <summary>{runs.length === 1 ? 'One earlier run' : `${runs.length} earlier runs`}</summary>
    <Table
      caption="Earlier runs of this configuration, newest first"
      columns={['machine', 'outcome', 'median', 'rate', 'timer error']}
      numeric={[2, 3, 4]}
      rows={runs
        .toReversed()
        .map(run => [
          placeOf(run),
          OUTCOME_TEXT[run.outcome],
          run.timing === undefined ? '' : formatMilliseconds(run.timing.medianMs),
          run.timing === undefined ? '' : formatRate(run.timing.gflops),
          run.timing === undefined ? '' : errorText(run.timing.errorPercent),
        ])}
    />
  </details>
);
