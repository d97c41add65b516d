/** The ring in time: a row a stage, a consumer and the store; at the beginning, or where one tile follows another. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PipelinePicture } from '../../src/core/charts/pipelinePicture';
import type { Span } from '../../src/core/charts/stageTimeline';
import { formatMilliseconds, formatNumber, formatPercent } from '../format';
import { Select } from '../kit';
import { Disclosure } from './disclosure';
import { Table } from './figure';
import { PipelineRows } from './pipelineRows';

const time = (nanoseconds: number): string => formatMilliseconds(nanoseconds / 1e6);

/** Steps that are drawn beside each other, beyond those that the ring holds twice. */
const MORE_STEPS = 6;

type Part = 'beginning' | 'change';

export function PipelineChart({ picture }: { readonly picture: PipelinePicture }): VNode {
  const { shape, times, clockMHz, loadsFrom, busy, stepsOfTile } = picture;
  const [part, setPart] = useState<Part>('beginning');
  const span = spanOf(picture, part);
  return (
    <figure class="request">
      <figcaption>
        {t(
          'A step takes tensor cores {0} at {1}, its load {2} at the rate of {3} and {4} to come; a tile has {5} steps, its store takes {6}. Tensor cores multiply {7} of the time.',
          time(times.multiply),
          `${formatNumber(Math.round(clockMHz))} MHz`,
          time(times.load),
          loadsFrom === 'l2' ? 'L2' : 'DRAM',
          time(times.latency),
          formatNumber(stepsOfTile),
          time(times.store),
          formatPercent(Number(busy.toPrecision(3))),
        )}
      </figcaption>
      {shape.tiles > 1 ? (
        <div class="choices">
          <Select
            id="pipeline-part"
            label={t('Part of the pipeline')}
            value={part}
            choices={[
              { value: 'beginning', label: t('the beginning') },
              { value: 'change', label: t('from a tile to the next') },
            ]}
            onChoose={value => {
              setPart(value === 'change' ? 'change' : 'beginning');
            }}
          />
        </div>
      ) : null}
      <PipelineRows picture={picture} span={span} />
      <p class="hint">
        {t(
          'Of a stage: thin while its load is on its way, a line while it is full, thick while it is multiplied, a tick when it is free. Grid lines are a step of tensor cores apart. Derived from measured rates and the clock that the power limit leaves, for a block among others that all do alike.',
        )}
      </p>
      <Disclosure summary={t('The pipeline as a table')}>
        {() => <Steps picture={picture} span={span} />}
      </Disclosure>
    </figure>
  );
}

/** As long at every place, so that steps are as wide. */
function spanOf({ shape, times, steps, stores }: PipelinePicture, part: Part): Span {
  const length = (2 * shape.stages + MORE_STEPS) * Math.max(times.multiply, times.load);
  const change = (stores[0]?.from ?? 0) - length / 4;
  const from = part === 'beginning' ? (steps[0]?.asked ?? 0) : Math.max(0, change);
  return { from, to: from + length };
}

function Steps({ picture, span }: { readonly picture: PipelinePicture; readonly span: Span }) {
  const shown = picture.steps.filter(({ asked, free }) => free >= span.from && asked <= span.to);
  return (
    <Table
      caption={t('Steps of the pipeline')}
      columns={[
        t('tile and step'),
        t('stage'),
        t('consumers'),
        t('asked for'),
        t('full'),
        t('multiplied'),
        t('free'),
      ]}
      numeric={[1, 3, 4, 5, 6]}
      rows={shown.map(({ tile, step, stage, consumers, asked, full, from, to, free }) => [
        `${tile + 1}, ${step + 1}`,
        stage + 1,
        consumers.map(consumer => consumer + 1).join(', '),
        time(asked),
        time(full),
        `${time(from)} – ${time(to)}`,
        time(free),
      ])}
    />
  );
}
