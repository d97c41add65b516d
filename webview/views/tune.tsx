/** Tune section: start, progress, cancel and adopt. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { scheduleName } from '../../src/core/plan/specKey';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import type { GemmSpec } from '../../src/core/spec/schema';
import {
  fastestFirst,
  isTuneOf,
  tuneKey,
  type ShownCandidate,
  type ShownTune,
} from '../../src/core/search/tune/shown';
import type { FromWebview } from '../../src/protocol';
import { formatMilliseconds, formatNumber, formatRate } from '../format';
import { Button, Spinner } from '../kit';
import { Disclosure } from './disclosure';
import { OriginTag, Section, Table } from './figure';
import { errorText, stateName, TuneChart, twoDigits } from './tuneChart';
import { isBusy } from './tuneState';

export interface TuneProps {
  /** Newest last. */
  readonly tunes: readonly ShownTune[];
  readonly resolved: ResolvedSpec;
  readonly spec: GemmSpec | null;
  readonly trusted: boolean;
  readonly post: (message: FromWebview) => void;
}

/** Number of rows in the table of the fastest schedules. */
const FASTEST = 10;

export function Tune({ tunes, resolved, spec, trusted, post }: TuneProps): VNode {
  const tune = tunes.findLast(each => isTuneOf(each, resolved, spec ?? {})) ?? null;
  const others = tunes.filter(each => each !== tune);
  const busy = isBusy(tune);
  const winner = tune?.winner ?? null;
  return (
    <Section id="tuning" title={t('Tune')} {...(tune === null ? {} : { of: tune.of })}>
      <p role="status" class={tune?.stage === 'refused' ? 'bad' : undefined}>
        {tune === null ? '' : statusText(tune)}
      </p>
      <div class="tune-tools" role="group" aria-label={t('Tune')}>
        {busy ? (
          <>
            <Spinner />
            <CancelButton post={post} />
          </>
        ) : (
          <Button
            disabled={!trusted}
            describedBy="tune-why"
            onPress={() => {
              post({ type: 'tune', ask: 'start' });
            }}
          >
            {tune === null ? t('Tune') : t('Tune again')}
          </Button>
        )}
        {busy || winner === null ? null : (
          <Button
            kind="primary"
            disabled={!trusted || tune?.adopted === true}
            describedBy="adopt-why"
            onPress={() => {
              post({ type: 'tune', ask: 'adopt' });
            }}
          >
            {t('Adopt')}
          </Button>
        )}
      </div>
      <Why {...{ tune, trusted, busy }} />
      {tune?.stage === 'running' || tune?.stage === 'ended' ? <Search tune={tune} /> : null}
      <Others tunes={others} post={post} />
    </Section>
  );
}

function Others({ tunes, post }: Pick<TuneProps, 'tunes' | 'post'>): VNode | null {
  if (tunes.length === 0) return null;
  return (
    <Disclosure summary={t('Other searches ({0})', tunes.length)}>
      {() => (
        <ul class="other-tunes" aria-label={t('Other searches')}>
          {tunes.toReversed().map(tune => (
            <li key={tuneKey(tune.subject)}>
              {t('{0}: {1}', tune.of, statusText(tune))}{' '}
              {isBusy(tune) ? <CancelButton post={post} /> : null}
            </li>
          ))}
        </ul>
      )}
    </Disclosure>
  );
}

const CancelButton = ({ post }: Pick<TuneProps, 'post'>): VNode => (
  <Button
    onPress={() => {
      post({ type: 'tune', ask: 'cancel' });
    }}
  >
    {t('Cancel')}
  </Button>
);

interface WhyProps {
  readonly tune: ShownTune | null;
  readonly trusted: boolean;
  readonly busy: boolean;
}

function Why({ tune, trusted, busy }: WhyProps): VNode | null {
  const winner = tune?.winner ?? null;
  if (busy) return null;
  return (
    <>
      <p id="tune-why" class="hint">
        {trusted
          ? t(
              'Verifies and measures up to 200 legal schedules on a local GPU. A cancelled search can resume.',
            )
          : t('Tuning requires a trusted workspace: Restricted Mode does not start processes.')}
      </p>
      {winner === null ? null : (
        <p id="adopt-why" class="hint">
          {tune?.adopted === true
            ? tune.words
            : t(
                'Adopt writes the kernel files and makes this schedule the default for this device and similar shapes.',
              )}
        </p>
      )}
    </>
  );
}

/**
 * Returns the status text. It has no progress counts, because screen readers announce each change.
 */
function statusText(tune: ShownTune): string {
  const { stage, words, round, ended } = tune;
  if (stage === 'starting' || stage === 'refused') return words;
  if (ended !== null) return endText(tune, ended);
  if (round === null) return t('Enumerating schedules');
  return {
    quick: t('Compiling schedules and measuring them briefly'),
    longer: t('Measuring the fastest schedules longer'),
    full: t('Measuring the finalists with the full protocol'),
  }[round];
}

function endText(tune: ShownTune, ended: NonNullable<ShownTune['ended']>): string {
  const { winner, candidates, legal } = tune;
  const tied = candidates.filter(({ state }) => state === 'tied').length;
  if (ended === 'cancelled') return t('Cancelled; results so far are shown.');
  if (legal === 0) return t('No schedule is legal for this problem.');
  if (winner === null && tied > 0) {
    return t('Not ranked: the timer error exceeds all differences.');
  }
  if (ended === 'out-of-time') return t('Time limit reached: not all finalists were measured.');
  if (ended === 'lost') return t('The GPU stopped responding; results so far are shown.');
  if (winner === null) return t('No schedule was timed.');
  return tied > 1
    ? t('{0} schedules are tied: they differ by less than their timing errors.', tied)
    : t('One schedule is fastest.');
}

function Search({ tune }: { readonly tune: ShownTune }): VNode {
  const { candidates, notes, legal, budget, measured, failed, left, elapsedMs, leftMs } = tune;
  const fastest = fastestFirst(candidates);
  const [best] = fastest;
  const time = best?.time ?? null;
  const counts = t(
    '{0} measured, {1} failed, {2} left',
    formatNumber(measured),
    formatNumber(failed),
    formatNumber(left),
  );
  return (
    <>
      <dl class="facts">
        {best === undefined || time === null ? null : (
          <>
            <dt>{tune.ended === null ? t('best so far') : t('best')}</dt>
            <dd>
              <span class="number">{formatRate(time.tflops * 1000)}</span>{' '}
              {errorText(time.errorPercent)} <OriginTag from="measured" />, {stateName(best.state)}
            </dd>
          </>
        )}
        <dt>{t('schedules')}</dt>
        <dd>
          {counts}
          {legal === null || legal === 0
            ? ''
            : t(
                '; {0} % of {1} legal schedules',
                twoDigits((100 * (measured + failed)) / legal),
                formatNumber(legal),
              )}
        </dd>
        <dt>{t('time')}</dt>
        <dd>
          {formatMilliseconds(elapsedMs)}
          {tune.ended !== null || leftMs === null
            ? ''
            : t(', about {0} left', formatMilliseconds(leftMs))}
        </dd>
      </dl>
      <progress
        hidden={tune.ended !== null}
        aria-label={t('Schedules measured')}
        max={Math.max(1, budget ?? 1)}
        value={measured + failed}
      />
      <TuneChart tune={tune} />
      {fastest.length === 0 ? null : (
        <Candidates caption={t('Fastest schedules')} rows={fastest.slice(0, FASTEST)} />
      )}
      {candidates.length <= Math.min(FASTEST, fastest.length) ? null : (
        <Disclosure summary={t('All {0} schedules tried', candidates.length)}>
          {() => <Candidates caption={t('All schedules in trial order')} rows={candidates} />}
        </Disclosure>
      )}
      {notes.length === 0 ? null : (
        <ul class="hint">
          {notes.map(note => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}

interface CandidatesProps {
  readonly caption: string;
  readonly rows: readonly ShownCandidate[];
}

const Candidates = ({ caption, rows }: CandidatesProps): VNode => (
  <Table
    caption={caption}
    captionShown
    columns={[t('schedule'), t('measured'), t('error'), t('predicted'), t('state')]}
    numeric={[1, 2, 3]}
    rows={rows.map(({ specKey, state, predicted, time, why }) => [
      <code title={specKey}>{scheduleName(specKey)}</code>,
      time === null ? '' : formatRate(time.tflops * 1000),
      time === null ? '' : errorText(time.errorPercent),
      predicted === null ? '' : formatRate(predicted * 1000),
      why === undefined ? (
        stateName(state)
      ) : (
        <>
          {stateName(state)}: <span lang="en">{why}</span>
        </>
      ),
    ])}
  />
);
