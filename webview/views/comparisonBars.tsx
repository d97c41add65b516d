/** Bars of compared rates with their intervals; the table below contains the same figures. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { captioned } from '../../src/core/charts/chartCaption';
import { comparisonChart, type Compared } from '../../src/core/charts/comparisonChart';
import { useOwnWidth } from '../ownWidth';
import { svgOf } from '../picture';
import { MarkShape } from './rooflineMark';
import { FoldedSave } from './savePicture';

export interface ComparisonBarsProps {
  readonly compared: Compared;
  /** Lines below the title of the saved picture. */
  readonly lines: readonly string[];
}

const SAVED_WIDTH = 800;

export function ComparisonBars({ compared, lines }: ComparisonBarsProps): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const { width, height, marks } = comparisonChart(compared, useOwnWidth(frame));
  const title = t('Rates: {0}', compared.title);
  return (
    <figure class="comparison">
      <figcaption>{compared.title}</figcaption>
      <div ref={frame} class="xy">
        <svg {...{ width, height }} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {marks.map((mark, index) => (
            <MarkShape key={index} mark={mark} />
          ))}
        </svg>
      </div>
      <FoldedSave
        picture={{
          name: 'comparison',
          svg: svgOf(() =>
            captioned(comparisonChart(compared, SAVED_WIDTH), { title, lines, legend: [] }),
          ),
        }}
      />
    </figure>
  );
}
