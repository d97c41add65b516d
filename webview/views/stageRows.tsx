/**
 * Rows of the pipeline chart for kernels without a producer warp group: copies, waits, fragment
 * loads and math by k-step.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { StagePicture } from '../../src/core/charts/stagePicture';
import type { Copied, Span, StageStep } from '../../src/core/charts/stageTimeline';
import { Bar, isSeen, placeOf, Row, Tick, upTo } from './timeBars';

export interface StageRowsProps {
  readonly picture: StagePicture;
  readonly span: Span;
}

export function StageRows({ picture, span }: StageRowsProps): VNode {
  const { shape, steps, again, barriers } = picture;
  const shown = steps.filter(({ asked, free }) => isSeen({ from: asked, to: free }, span));
  const ticks = shown.map(step => placeOf(beginOf(step), span));
  return (
    <div
      class="pipeline"
      role="img"
      aria-label={t('Pipeline timeline; the table below lists the values')}
    >
      <Row name={t('k-iteration')} ticks={ticks}>
        {shown.map((step, i) =>
          beginOf(step) < span.to ? (
            <text key={step.step} class="step" x={`${ticks[i] ?? 0}%`} dx="3" y="14">
              {step.step + 1}
            </text>
          ) : null,
        )}
      </Row>
      {shape.copies === 'registers' ? (
        <Row name={t('registers')} ticks={ticks}>
          {shown.map(tile => (
            <InRegisters key={tile.step} tile={tile} span={span} />
          ))}
        </Row>
      ) : null}
      {upTo(shape.stages).map(stage => (
        <Row key={`stage ${stage}`} name={t('stage {0}', stage + 1)} ticks={ticks}>
          {shown
            .filter(of => of.stage === stage)
            .map(step => (
              <Stage key={step.step} step={step} span={span} />
            ))}
          {again
            .filter(of => of.stage === stage)
            .map(({ asked: from, arrived: to }) => (
              <Bar key={`again ${from}`} kind="loading" at={{ from, to }} span={span} />
            ))}
        </Row>
      ))}
      <Row name={t('wait, barrier')} ticks={ticks}>
        {shown.map(({ step, waited }) => (
          <Bar key={step} kind="loading" at={waited} span={span} />
        ))}
        {[...shown.map(({ barrier }) => barrier), ...barriers].map(({ to }) => (
          <Tick key={to} at={to} span={span} />
        ))}
      </Row>
      {upTo(shape.buffers).map(buffer => (
        <Row
          key={`fragments ${buffer}`}
          name={shape.buffers === 1 ? t('fragments') : t('fragments {0}', buffer + 1)}
          ticks={ticks}
        >
          {shown.flatMap(({ step, fragments }) =>
            fragments.map((at, depth) =>
              depth % shape.buffers === buffer ? (
                <Bar key={`${step} ${depth}`} kind="stored" at={at} span={span} />
              ) : null,
            ),
          )}
        </Row>
      ))}
      <Row name={t('math')} ticks={ticks}>
        {shown.flatMap(({ step, products }) =>
          products.map((at, depth) => (
            <Bar key={`${step} ${depth}`} kind="multiplied" at={at} span={span} />
          )),
        )}
      </Row>
    </div>
  );
}

const beginOf = ({ products, barrier }: StageStep): number => products[0]?.from ?? barrier.to;

const InRegisters = ({ tile, span }: { readonly tile: Copied; readonly span: Span }): VNode => (
  <>
    <Bar kind="loading" at={{ from: tile.asked, to: tile.arrived }} span={span} />
    <Bar
      kind="full"
      at={{ from: tile.arrived, to: tile.deposit?.to ?? tile.arrived }}
      span={span}
    />
  </>
);

const Stage = ({ step, span }: { readonly step: StageStep; readonly span: Span }): VNode => {
  const { asked, arrived, deposit, fragments, free } = step;
  const filled = deposit ?? { from: asked, to: arrived };
  const read = { from: fragments[0]?.from ?? free, to: fragments.at(-1)?.to ?? free };
  return (
    <>
      <Bar kind="loading" at={filled} span={span} />
      <Bar kind="full" at={{ from: filled.to, to: read.from }} span={span} />
      <Bar kind="stored" at={read} span={span} />
      <Bar kind="full" at={{ from: read.to, to: free }} span={span} />
      <Tick at={free} span={span} />
    </>
  );
};
