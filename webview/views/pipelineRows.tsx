/** Rows of the pipeline chart for a shared-memory ring buffer that a producer warp group fills. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { PipelinePicture } from '../../src/core/charts/pipelinePicture';
import type { Span } from '../../src/core/charts/stageTimeline';
import type { RingStep, TileStore } from '../../src/core/kernel/wgmma/timeline';
import { Bar, isSeen, placeOf, Row, Tick, upTo } from './timeBars';

export interface PipelineRowsProps {
  readonly picture: PipelinePicture;
  readonly span: Span;
}

export function PipelineRows({ picture, span }: PipelineRowsProps): VNode {
  const { shape, steps, stores } = picture;
  const ticks = ticksOf(picture, span);
  const shown = steps.filter(({ asked, free }) => isSeen({ from: asked, to: free }, span));
  const stored = stores.filter(store => isSeen(store, span));
  const byTma = shape.inFlight > 0;
  return (
    <div
      class="pipeline"
      role="img"
      aria-label={t('Pipeline timeline; the table below lists the values')}
    >
      {upTo(shape.stages).map(stage => (
        <Row key={`stage ${stage}`} name={t('stage {0}', stage + 1)} ticks={ticks}>
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
          name={shape.kernelSchedule === 'tma' ? t('warp group') : t('consumer {0}', consumer + 1)}
          ticks={ticks}
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
        <Row name={t('TMA store')} ticks={ticks}>
          {stored.map(({ tile, from, to }: TileStore) => (
            <Bar key={tile} kind="stored" at={{ from, to }} span={span} />
          ))}
        </Row>
      ) : null}
    </div>
  );
}

const keyOf = ({ tile, step }: Pick<RingStep, 'tile' | 'step'>): string => `${tile} ${step}`;

const ticksOf = ({ times }: PipelinePicture, span: Span): readonly number[] =>
  upTo(Math.floor((span.to - span.from) / times.multiply) + 1).map(i =>
    placeOf(span.from + i * times.multiply, span),
  );

const Stage = ({ step, span }: { readonly step: RingStep; readonly span: Span }): VNode => {
  const { asked, full, from, to, free } = step;
  return (
    <>
      <Bar kind="loading" at={{ from: asked, to: full }} span={span} />
      <Bar kind="full" at={{ from: full, to: from }} span={span} />
      <Bar kind="multiplied" at={{ from, to }} span={span} />
      <Bar kind="full" at={{ from: to, to: free }} span={span} />
      <Tick at={free} span={span} />
    </>
  );
};
