/** Legends of the two pictures of the tile map. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';

const SWATCH_PX = 12;

interface Item {
  readonly text: string;
  /** Classes of the swatches, which have the colors of the picture. */
  readonly swatches: readonly string[];
}

/** @param waves text about the waves and their number; null if the picture does not show waves */
export const OperandLegend = ({
  waves,
}: {
  readonly waves: { readonly text: string; readonly count: number } | null;
}): VNode => (
  <Legend
    items={[
      ...(waves === null
        ? []
        : [
            {
              text: waves.text,
              swatches: ['wave-0', 'wave-1', 'wave-2', 'wave-3'].slice(0, waves.count),
            },
          ]),
      { text: t('block tile'), swatches: ['block'] },
      { text: t('its panels'), swatches: ['panel'] },
      { text: t('k-iteration'), swatches: ['staged'] },
    ]}
  />
);

export const BlockLegend = (): VNode => (
  <Legend
    items={[
      { text: t('warp'), swatches: ['chosen'] },
      { text: t('thread'), swatches: ['thread'] },
      { text: t('element'), swatches: ['element'] },
    ]}
  />
);

const Legend = ({ items }: { readonly items: readonly Item[] }): VNode => (
  <ul class="map-legend">
    {items.map(({ text, swatches }) => (
      <li key={text}>
        {swatches.map(name => (
          <svg key={name} width={SWATCH_PX} height={SWATCH_PX} aria-hidden="true">
            <rect class={name} x={1} y={1} width={SWATCH_PX - 2} height={SWATCH_PX - 2} />
          </svg>
        ))}
        {text}
      </li>
    ))}
  </ul>
);
