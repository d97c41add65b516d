/** Tables of the data in the roofline chart. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Roofline, RooflinePoint } from '../../src/core/roofline/contract';
import type { TrailRun } from '../../src/core/charts/rooflineTrail';
import { backendName } from '../../src/core/measure/backendName';
import { scheduleName } from '../../src/core/plan/specKey';
import { formatNumber, formatRate } from '../format';
import { OriginTag, Table } from './figure';
import { intervalText, ofAttainable, whenText } from './rooflineTexts';

function pointName({ kind, name }: RooflinePoint): string {
  switch (kind) {
    case 'attainable':
      return t('attainable, compulsory traffic');
    case 'without-caches':
      return t('estimate without caches');
    case 'predicted':
      return t('predicted by the time model');
    case 'measured':
      return t('measured: {0}', scheduleName(name));
  }
}

export interface RooflineTablesProps {
  readonly roofline: Roofline;
  /** Newest last. */
  readonly trail: readonly TrailRun[];
}

export const RooflineTables = ({ roofline, trail }: RooflineTablesProps): VNode => (
  <>
    <Table
      caption={t('Ceilings')}
      columns={[t('ceiling'), t('value'), t('from'), t('machine')]}
      numeric={[1]}
      rows={roofline.ceilings.map(({ name, value, unit, from, machine }) => [
        name,
        `${formatNumber(value)} ${unit}`,
        <OriginTag from={from} />,
        machine,
      ])}
    />
    <Table
      caption={t('Points')}
      columns={[t('point'), t('FLOP/B'), t('rate'), t('of attainable'), t('from'), t('machine')]}
      numeric={[1, 2, 3]}
      rows={roofline.points.map(point => [
        pointName(point),
        formatNumber(point.intensity),
        formatRate(point.tflops * 1000),
        point.kind === 'measured' ? ofAttainable(point.tflops, roofline).join('') : '',
        <OriginTag from={point.from} />,
        point.kind === 'measured'
          ? [point.machine, intervalText(point.interval), whenText(point.at)].join(', ')
          : point.machine,
      ])}
    />
    {trail.length === 0 ? null : (
      <Table
        caption={t('Earlier runs of this problem on this machine, newest first')}
        captionShown
        columns={[
          t('kernel'),
          t('rate'),
          t('of attainable'),
          t('from'),
          t('machine'),
          t('recorded'),
        ]}
        numeric={[1, 2]}
        rows={trail
          .toReversed()
          .map(run => [
            `${scheduleName(run.specKey)}, ${backendName(run.backend)}`,
            formatRate(run.tflops * 1000),
            ofAttainable(run.tflops, roofline).join(''),
            <OriginTag from="measured" />,
            `${run.machine}, ${intervalText(run.interval)}`,
            whenText(run.at),
          ])}
      />
    )}
  </>
);
