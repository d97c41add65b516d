/** Table of all runs of a capsule, newest first. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { backendName } from '../../src/core/measure/backendName';
import { conditionsText } from '../../src/core/measure/conditionsText';
import { rateWithInterval } from '../../src/core/measure/intervalText';
import type { Measurement } from '../../src/core/measure/measurement';
import { formatMilliseconds, formatNumber } from '../format';
import { Table } from '../views/figure';
import { outcomeText, placeOf } from '../views/results';
import { whenText } from '../views/rooflineTexts';

export const RunsTable = ({ runs }: { readonly runs: readonly Measurement[] }): VNode | null =>
  runs.length < 2 ? null : (
    <Table
      caption={t('All runs of this configuration, newest first')}
      captionShown
      columns={[
        t('run'),
        t('machine'),
        t('driver'),
        t('outcome'),
        t('outside the error bound'),
        t('rate (95 % interval)'),
        t('median'),
        t('interquartile range'),
        t('GPU state'),
      ]}
      numeric={[5, 6, 7]}
      rows={runs.map(run => [
        [backendName(run.backend), ...(run.at === undefined ? [] : [whenText(run.at)])].join(', '),
        placeOf(run),
        run.device.driver,
        outcomeText(run.outcome),
        verifiedText(run),
        run.timing === undefined ? '' : rateWithInterval(run.timing),
        run.timing === undefined ? '' : formatMilliseconds(run.timing.medianMs),
        run.timing === undefined ? '' : formatMilliseconds(run.timing.iqrMs),
        conditionsText(run.timing),
      ])}
    />
  );

const verifiedText = ({ verification: { mismatches, samples } }: Measurement): string =>
  samples === 0
    ? t('not compared')
    : t('{0} of {1}', formatNumber(mismatches), formatNumber(samples));
