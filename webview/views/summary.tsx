/** Sticky header with the key figures of the configuration. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import type { Analysis } from '../../src/core/report/analysis';
import { limiterName } from '../../src/core/occupancy/limiterName';
import { newestRuns } from '../../src/core/measure/newestRuns';
import { rateWithInterval } from '../../src/core/measure/intervalText';
import { peakOf } from '../../src/core/roofline/waterfall';
import { TARGET_NAMES } from '../ability';
import type { Derived } from '../derive';
import { formatPercent, formatQuantity } from '../format';
import { OriginTag } from './figure';
import { Jump } from './jump';
import { ranOnMachine, attainableOnMachine, outcomeText, placeOf } from './results';
import type { Roofline } from '../../src/core/roofline/contract';

interface ItemProps {
  readonly to: string;
  readonly name: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

const Item = ({ to, name, title, children }: ItemProps): VNode => (
  <li title={title}>
    <Jump to={to}>
      <span class="label">{name}</span> {children}
    </Jump>
  </li>
);

export function Summary({ derived }: { readonly derived: Derived }): VNode {
  const { shown, target, runs } = derived;
  // All figures apply to the selected machine and to the shown kernel. The Measured section lists
  // runs on other machines and of the kernel in the other language.
  const own = runs.filter(run => shown.ok && ranOnMachine(run, shown.roofline));
  const current = newestRuns(own, () => true);
  const timed = current.findLast(({ run }) => run.timing !== undefined)?.run;
  // The rate and the outcome belong to one run.
  const run = timed ?? current.at(-1)?.run;
  const measured =
    run === undefined ? null : (
      <Item
        to="results"
        name={timed === undefined ? t('result') : t('measured')}
        title={placeOf(run)}
      >
        {timed?.timing === undefined ? null : (
          <>
            <span class="number">{rateWithInterval(timed.timing)}</span>{' '}
            {shown.ok ? (
              <span class="attained">
                {ofAttainableText(timed.timing.gflops, attainableOnMachine(timed, shown.rooflines))}
              </span>
            ) : null}{' '}
          </>
        )}
        <b class={run.outcome === 'correct' ? undefined : 'bad'}>{outcomeText(run.outcome)}</b>
      </Item>
    );
  return (
    <nav class="summary" aria-label={t('Summary')}>
      <ul>
        {shown.ok ? (
          <Predicted analysis={shown.analysis} roofline={shown.roofline} measured={measured} />
        ) : (
          <>
            <Item to="not-legal" name={TARGET_NAMES[target]}>
              <b class="bad">{t('not legal')}</b>
            </Item>
            {measured}
          </>
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
  /** Item of the newest run on this machine; null without one. */
  readonly measured: VNode | null;
}

function Predicted({ analysis, roofline, measured }: PredictedProps): VNode {
  const { occupancy, prediction } = analysis;
  const peak = peakOf(roofline);
  return (
    <>
      {prediction === null ? (
        <Item to="roofline" name={t('attainable')}>
          <span class="number">{formatQuantity(roofline.attainable)}</span>
        </Item>
      ) : (
        <Item to="verdict" name={t('predicted')}>
          <span class="number">{formatQuantity(prediction.tflops)}</span>
          {peak === undefined
            ? ''
            : ` ${t('({0} of peak)', formatPercent(Number((prediction.tflops.value / peak).toPrecision(2))))}`}
        </Item>
      )}
      {measured}
      {occupancy === null ? (
        <Item to="occupancy" name={t('occupancy')}>
          {t('no occupancy model for {0}', roofline.machine)}
        </Item>
      ) : (
        <>
          <Item to="occupancy" name={t('occupancy')}>
            {/* A question of the section Occupancy hides it. */}
            <span class="occupancy-figure">
              <span class="number">{formatPercent(occupancy.occupancy)}</span>{' '}
              {`(${occupancy.limiters.map(limiterName).join(', ')})`}
            </span>
          </Item>
          <Item to="occupancy" name={t('registers/thread')}>
            <span class="number">{occupancy.registers.value}</span>{' '}
            <OriginTag from={occupancy.registers.from} />
          </Item>
        </>
      )}
    </>
  );
}
