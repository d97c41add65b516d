/** What the configuration comes to, in one line that stays in sight while its fields are changed. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import type { Analysis, Roofline } from '../../src/core/analysis/analysis';
import { TARGET_NAMES } from '../ability';
import type { Derived } from '../derive';
import { formatPercent, formatQuantity, formatRate } from '../format';
import { OriginTag } from './figure';
import { limiterName } from './occupancyNames';
import { roofOf } from './results';

interface ItemProps {
  /** Section that says more. */
  readonly href: `#${string}`;
  readonly name: string;
  readonly children: ComponentChildren;
}

const Item = ({ href, name, children }: ItemProps): VNode => (
  <li>
    <a href={href}>
      <span class="label">{name}</span> {children}
    </a>
  </li>
);

export function Summary({ derived }: { readonly derived: Derived }): VNode {
  const { shown, target, runs } = derived;
  const newest = runs.findLast(({ timing }) => timing !== undefined);
  return (
    <nav class="summary" aria-label={t('Summary')}>
      <ul>
        {shown.ok ? (
          <Predicted analysis={shown.analysis} roofline={shown.roofline} />
        ) : (
          <Item href="#not-legal" name={TARGET_NAMES[target]}>
            <b class="bad">{t('not legal')}</b>
          </Item>
        )}
        {newest?.timing === undefined ? null : (
          <Item href="#results" name={t('measured')}>
            <span class="number">{formatRate(newest.timing.gflops)}</span>
            {shown.ok ? ` ${ofRoof(newest.timing.gflops, roofOf(newest, shown.rooflines))}` : ''}
          </Item>
        )}
      </ul>
    </nav>
  );
}

const ofRoof = (gflops: number, roofTflops: number | null): string =>
  roofTflops === null ? '' : t('({0} of the roof)', formatPercent(gflops / 1000 / roofTflops));

interface PredictedProps {
  readonly analysis: Analysis;
  readonly roofline: Roofline;
}

function Predicted({ analysis: { occupancy, waves }, roofline }: PredictedProps): VNode {
  return (
    <>
      {occupancy === null ? null : (
        <>
          <Item href="#occupancy" name={t('occupancy')}>
            <span class="number">{formatPercent(occupancy.occupancy)}</span>{' '}
            {`(${occupancy.limiters.map(limiterName).join(', ')})`}
          </Item>
          <Item href="#occupancy" name={t('registers')}>
            <span class="number">{occupancy.registers.value}</span>{' '}
            <OriginTag from={occupancy.registers.from} />
          </Item>
        </>
      )}
      <Item href="#roofline" name={t('attainable')}>
        <span class="number">{formatQuantity(roofline.attainable)}</span> ({roofline.machine})
      </Item>
      {waves === null ? null : (
        <Item href="#waves" name={t('wave efficiency')}>
          <span class="number">{formatPercent(waves.efficiency)}</span>
        </Item>
      )}
    </>
  );
}
