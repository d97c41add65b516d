/** Rows of the pipeline's chart. Kinds of bars differ in height, so that colour is not all that tells them apart. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import type { PipelinePicture } from '../../src/core/analysis/pipelinePicture';
import type { RingStep, TileStore } from '../../src/core/wgmma/timeline';

/** In nanoseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface PipelineRowsProps {
  readonly picture: PipelinePicture;
  readonly span: Span;
}

/** Of a row, and of the bars in it, in CSS pixels. */
const ROW = 20;
const THICK = 14;
const THIN = 4;

export function PipelineRows({ picture, span }: PipelineRowsProps): VNode {
  const { shape, steps, stores } = picture;
  const isSeen = ({ from, to }: Span): boolean => to >= span.from && from <= span.to;
  const shown = steps.filter(({ asked, free }) => isSeen({ from: asked, to: free }));
  const stored = stores.filter(isSeen);
  const byTma = shape.inFlight > 0;
  return (
    <div
      class="pipeline"
      role="img"
      aria-label={t('The pipeline in time; the table below has its numbers')}
    >
      {upTo(shape.stages).map(stage => (
        <Row key={`stage ${stage}`} name={t('stage {0}', stage + 1)} {...{ picture, span }}>
          {shown
            .filter(of => of.stage === stage)
            .map(step => (
              <Stage key={keyOf(step)} step={step} span={span} />
            ))}
        </Row>
      ))}
      {upTo(shape.consumers).map(consumer => (
        <Row
          key={`consumer ${consumer}`}
          name={t('consumer {0}', consumer + 1)}
          {...{ picture, span }}
        >
          {shown
            .filter(({ consumers }) => consumers.includes(consumer))
            .map(({ from, to, ...step }) => (
              <Bar key={keyOf(step)} kind="multiplied" at={{ from, to }} span={span} />
            ))}
          {stored
            .filter(({ consumers }) => consumers.includes(consumer))
            .map(({ tile, from, handed }) => (
              <Bar key={`store ${tile}`} kind="stored" at={{ from, to: handed }} span={span} />
            ))}
        </Row>
      ))}
      {byTma ? (
        <Row name={t('TMA store')} {...{ picture, span }}>
          {stored.map(({ tile, from, to }: TileStore) => (
            <Bar key={tile} kind="stored" at={{ from, to }} span={span} />
          ))}
        </Row>
      ) : null}
    </div>
  );
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

const keyOf = ({ tile, step }: Pick<RingStep, 'tile' | 'step'>): string => `${tile} ${step}`;

/** Where a moment is drawn, in percent of the row. */
const placeOf = (moment: number, { from, to }: Span): number =>
  Math.max(0, Math.min(100, (100 * (moment - from)) / (to - from)));

interface RowProps extends PipelineRowsProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

const Row = ({ name, picture, span, children }: RowProps): VNode => (
  <>
    <span class="name">{name}</span>
    <svg width="100%" height={ROW} aria-hidden="true">
      {ticksOf(picture, span).map(at => (
        <line key={at} class="grid" x1={`${at}%`} x2={`${at}%`} y1="0" y2={ROW} />
      ))}
      {children}
    </svg>
  </>
);

/** A step of tensor cores apart. */
const ticksOf = ({ times }: PipelinePicture, span: Span): readonly number[] =>
  upTo(Math.floor((span.to - span.from) / times.multiply) + 1).map(i =>
    placeOf(span.from + i * times.multiply, span),
  );

interface BarProps {
  readonly kind: 'loading' | 'full' | 'multiplied' | 'stored';
  readonly at: Span;
  readonly span: Span;
}

const HEIGHTS = { loading: THIN, full: 1, multiplied: THICK, stored: THICK / 2 } as const;

function Bar({ kind, at, span }: BarProps): VNode | null {
  const [x, end] = [placeOf(at.from, span), placeOf(at.to, span)];
  if (end <= x) return null;
  const height = HEIGHTS[kind];
  return (
    <rect class={kind} x={`${x}%`} width={`${end - x}%`} y={(ROW - height) / 2} height={height} />
  );
}

const Stage = ({ step, span }: { readonly step: RingStep; readonly span: Span }): VNode => {
  const { asked, full, from, to, free } = step;
  const place = placeOf(free, span);
  return (
    <>
      <Bar kind="loading" at={{ from: asked, to: full }} span={span} />
      <Bar kind="full" at={{ from: full, to: from }} span={span} />
      <Bar kind="multiplied" at={{ from, to }} span={span} />
      <Bar kind="full" at={{ from: to, to: free }} span={span} />
      {place > 0 && place < 100 ? (
        <line class="free" x1={`${place}%`} x2={`${place}%`} y1="0" y2={ROW} />
      ) : null}
    </>
  );
};
