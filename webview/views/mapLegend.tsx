/** Legends of the two pictures of the tile map. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';

const SWATCH_PX = 12;

/** @param names classes of the swatches, which have the colors of the pictures */
const Swatches = ({ names }: { readonly names: readonly string[] }): VNode => (
  <>
    {names.map(name => (
      <svg key={name} width={SWATCH_PX} height={SWATCH_PX} aria-hidden="true">
        <rect class={name} x={1} y={1} width={SWATCH_PX - 2} height={SWATCH_PX - 2} />
      </svg>
    ))}
  </>
);

export interface OperandLegendProps {
  /** Text about the waves, and their number; null if the picture does not show waves. */
  readonly waves: { readonly text: string; readonly count: number } | null;
}

export const OperandLegend = ({ waves }: OperandLegendProps): VNode => (
  <ul class="map-legend">
    {waves === null ? null : (
      <li>
        <Swatches names={['wave-0', 'wave-1', 'wave-2', 'wave-3'].slice(0, waves.count)} />
        {waves.text}
      </li>
    )}
    <li>
      <Swatches names={['staged']} />
      {t('k-iteration')}
    </li>
  </ul>
);

/** Caption of the block tile, with its outline in C and the color of its panels of A and B. */
export const BlockCaption = ({ text }: { readonly text: string }): VNode => (
  <figcaption class="map-legend">
    <span>
      <Swatches names={['block', 'panel']} />
      {text}
    </span>
  </figcaption>
);

export const BlockLegend = (): VNode => (
  <ul class="map-legend">
    {[
      ['chosen', t('warp')] as const,
      ['thread', t('thread')] as const,
      ['element', t('element')] as const,
    ].map(([name, text]) => (
      <li key={name}>
        <Swatches names={[name]} />
        {text}
      </li>
    ))}
  </ul>
);
