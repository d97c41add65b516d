/** Rows of a timeline. Bar types differ in height and outline, not only in color. */
import type { ComponentChildren, VNode } from 'preact';
import type { Span } from '../../src/core/charts/stageTimeline';

/** Heights of a row and of its bars in CSS pixels. */
const ROW = 20;
const THICK = 14;
const THIN = 4;

export const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => i);

/** Returns the position of a time in percent of the row width, clamped to 0 to 100. */
export const placeOf = (moment: number, { from, to }: Span): number =>
  Math.max(0, Math.min(100, (100 * (moment - from)) / (to - from)));

export const isSeen = ({ from, to }: Span, span: Span): boolean =>
  to >= span.from && from <= span.to;

export interface RowProps {
  readonly name: string;
  readonly ticks: readonly number[];
  readonly children: ComponentChildren;
}

export const Row = ({ name, ticks, children }: RowProps): VNode => (
  <>
    <span class="name">{name}</span>
    <svg width="100%" height={ROW} aria-hidden="true">
      {ticks.map(at => (
        <line key={at} class="grid" x1={`${at}%`} x2={`${at}%`} y1="0" y2={ROW} />
      ))}
      {children}
    </svg>
  </>
);

const HEIGHTS = { loading: THIN, full: 1, multiplied: THICK, stored: THICK / 2 } as const;

export interface BarProps {
  readonly kind: keyof typeof HEIGHTS;
  readonly at: Span;
  readonly span: Span;
}

export function Bar({ kind, at, span }: BarProps): VNode | null {
  const [x, end] = [placeOf(at.from, span), placeOf(at.to, span)];
  if (end <= x) return null;
  const height = HEIGHTS[kind];
  return (
    <rect class={kind} x={`${x}%`} width={`${end - x}%`} y={(ROW - height) / 2} height={height} />
  );
}

export function Tick({ at, span }: { readonly at: number; readonly span: Span }): VNode | null {
  const place = placeOf(at, span);
  return place > 0 && place < 100 ? (
    <line class="free" x1={`${place}%`} x2={`${place}%`} y1="0" y2={ROW} />
  ) : null;
}
