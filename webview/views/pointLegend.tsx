/** Legend of the numbered points of a roofline. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { LegendEntry } from '../../src/core/charts/rooflineLegend';
import { MarkShape } from './rooflineMark';

export interface PointLegendProps {
  readonly entries: readonly LegendEntry[];
  readonly pointed: string | null;
  readonly onPoint: (key: string) => void;
}

export const PointLegend = ({ entries, pointed, onPoint }: PointLegendProps): VNode => (
  <ol class="chart-legend" aria-label={t('Points')}>
    {entries.map(({ number, item, role, shape, name, shortValue }) => (
      <li
        key={item}
        class={item === pointed ? 'pointed' : undefined}
        onPointerMove={() => {
          onPoint(item);
        }}
      >
        <span class="number">{number}</span>{' '}
        <svg width="16" height="18" aria-hidden="true">
          <MarkShape mark={{ kind: 'point', x: 8, y: 9, role, shape, label: name }} />
        </svg>{' '}
        {name} <span class="number">{shortValue}</span>
      </li>
    ))}
  </ol>
);
