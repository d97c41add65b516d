/** Components that all views share: figures with their origin, sections and tables. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import type { Figure } from '../../src/core/text/figure';
import { formatQuantity } from '../format';

export type Origin = Figure['from'];

const originName = (from: Origin): string =>
  ({
    spec: t('spec'),
    derived: t('derived'),
    compiler: t('compiler'),
    measured: t('measured'),
  })[from];

/**
 * Shows the origin of a figure. Most figures are derived, so only screen readers expose that origin
 * (legend: `Notes`).
 */
export const OriginTag = ({ from }: { readonly from: Origin }): VNode => (
  <span class={from === 'derived' ? 'visually-hidden' : `origin origin-${from}`}>
    {originName(from)}
  </span>
);

export const FigureText = ({ figure }: { readonly figure: Figure }): VNode => (
  <span class="figure">
    <span class="number">{formatQuantity(figure)}</span> <OriginTag from={figure.from} />
  </span>
);

export interface SectionProps {
  readonly id: string;
  readonly title: string;
  /** Kernel and machine that the figures apply to, if the head does not show them. */
  readonly of?: string | undefined;
  readonly children: ComponentChildren;
}

export const Section = ({ id, title, of, children }: SectionProps): VNode => (
  <section id={id} aria-labelledby={`${id}-title`} tabIndex={-1}>
    <header class="section-head">
      <h2 id={`${id}-title`}>{title}</h2>
      {of === undefined ? null : <p class="of">{of}</p>}
    </header>
    {children}
  </section>
);

export interface TableProps {
  readonly caption: string;
  /** True if the caption is visible; by default, only screen readers expose it. */
  readonly captionShown?: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  readonly numeric?: readonly number[];
}

export const Table = ({
  caption,
  captionShown = false,
  columns,
  rows,
  numeric = [],
}: TableProps): VNode => {
  const kind = (column: number) => (numeric.includes(column) ? 'number' : undefined);
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class={captionShown ? undefined : 'visually-hidden'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={column} scope="col" class={kind(index)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) =>
                column === 0 ? (
                  <th key={column} scope="row" class={kind(column)}>
                    {cell}
                  </th>
                ) : (
                  <td key={column} class={kind(column)}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
