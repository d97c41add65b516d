/** Sticky header with the key figures of the configuration. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import type { Analysis } from '../../src/core/report/analysis';
import { limiterName } from '../../src/core/occupancy/limiterName';
import { balanceText } from '../../src/core/occupancy/waves';
import { TARGET_NAMES } from '../ability';
import type { Derived } from '../derive';
import { formatPercent, formatQuantity, formatRate } from '../format';
import { OriginTag } from './figure';
import { Jump } from './jump';
import { ranOnMachine, attainableOnMachine } from './results';
import type { Roofline } from '../../src/core/roofline/contract';

interface ItemProps {
  readonly to: string;
  readonly name: string;
  readonly children: ComponentChildren;
}

const Item = ({ to, name, children }: ItemProps): VNode => (
  <li>
    <Jump to={to}>
      <span class="label">{name}</span> {children}
    </Jump>
  </li>
);

export function Summary({ derived }: { readonly derived: Derived }): VNode {
  const { shown, target, newest: all } = derived;
  // All figures apply to one machine; runs on other machines are listed in the Measured section.
  const newest = all.findLast(
    ({ run, stale }) =>
      !stale && run.timing !== undefined && shown.ok && ranOnMachine(run, shown.roofline),
  )?.run;
  return (
    <nav class="summary" aria-label={t('Summary')}>
      <ul>
        {shown.ok ? (
          <Predicted analysis={shown.analysis} roofline={shown.roofline} />
        ) : (
          <Item to="not-legal" name={TARGET_NAMES[target]}>
            <b class="bad">{t('not legal')}</b>
          </Item>
        )}
        {newest?.timing === undefined ? null : (
          <Item to="results" name={t('measured')}>
            <span class="number">{formatRate(newest.timing.gflops)}</span>
            {shown.ok
              ? ` ${ofAttainableText(newest.timing.gflops, attainableOnMachine(newest, shown.rooflines))}`
              : ''}
          </Item>
        )}
      </ul>
    </nav>
  );
}

const ofAttainableText = (gflops: number, roofTflops: number | null): string =>
  roofTflops === null ? '' : t('({0} of attainable)', formatPercent(gflops / 1000 / roofTflops));

interface PredictedProps {
  readonly analysis: Analysis;
  readonly roofline: Roofline;
}

function Predicted({ analysis, roofline }: PredictedProps): VNode {
  const { occupancy, waves, prediction } = analysis;
  return (
    <>
      {occupancy === null ? (
        <Item to="occupancy" name={t('occupancy')}>
          {t('no occupancy model for {0}', roofline.machine)}
        </Item>
      ) : (
        <>
          <Item to="occupancy" name={t('occupancy')}>
            <span class="number">{formatPercent(occupancy.occupancy)}</span>{' '}
            {`(${occupancy.limiters.map(limiterName).join(', ')})`}
          </Item>
          <Item to="occupancy" name={t('registers')}>
            <span class="number">{occupancy.registers.value}</span>{' '}
            <OriginTag from={occupancy.registers.from} />
          </Item>
        </>
      )}
      {prediction === null ? null : (
        <Item to="gap" name={t('predicted')}>
          <span class="number">{formatQuantity(prediction.tflops)}</span>
        </Item>
      )}
      <Item to="roofline" name={t('attainable')}>
        <span class="number">{formatQuantity(roofline.attainable)}</span> ({roofline.machine})
      </Item>
      {waves === null ? null : (
        <Item to="waves" name={t('load balance')}>
          <span class="number">{balanceText(waves.balance.value)}</span>
        </Item>
      )}
    </>
  );
}
