/**
 * Timeline of a warp-specialized pipeline: one row per stage, per consumer and for the TMA store.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PipelinePicture } from '../../src/core/charts/pipelinePicture';
import type { Span } from '../../src/core/charts/stageTimeline';
import { formatMilliseconds, formatNumber, formatPercent } from '../format';
import { Select } from '../kit';
import { useStaticPage } from '../staticPage';
import { Disclosure } from './disclosure';
import { Table } from './figure';
import { PipelineRows } from './pipelineRows';

const time = (nanoseconds: number): string => formatMilliseconds(nanoseconds / 1e6);

/** Number of k-iterations drawn in addition to two passes through the ring buffer. */
const EXTRA_K_ITERATIONS = 6;

type Part = 'beginning' | 'change';

export function PipelineChart({ picture }: { readonly picture: PipelinePicture }): VNode {
  const { shape, times, clockMHz, loadsFrom, busy, stepsOfTile } = picture;
  const [part, setPart] = useState<Part>('beginning');
  const isStatic = useStaticPage();
  const span = spanOf(picture, part);
  return (
    <figure class="request">
      <figcaption>
        {t(
          'Per k-iteration: tensor cores {0} at {1}; tile load {2} at {3} bandwidth, latency {4}. Per tile: {5} k-iterations; store {6}. Tensor cores are busy {7} of the time.',
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
      {shape.tiles > 1 && !isStatic ? (
        <div class="choices">
          <Select
            id="pipeline-part"
            label={t('Pipeline section')}
            value={part}
            choices={[
              { value: 'beginning', label: t('pipeline start') },
              { value: 'change', label: t('tile transition') },
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
          'Stages: thin bar = load in flight, line = full, thick bar = MMA, tick = released. Grid lines mark one tensor-core k-iteration. Derived from measured rates and the power-limited clock, with all SMs equally loaded.',
        )}
      </p>
      <Disclosure summary={t('Pipeline as table')} repeats>
        {() => <Steps picture={picture} span={span} />}
      </Disclosure>
    </figure>
  );
}

function spanOf({ shape, times, steps, stores }: PipelinePicture, part: Part): Span {
  const length = (2 * shape.stages + EXTRA_K_ITERATIONS) * Math.max(times.multiply, times.load);
  const change = (stores[0]?.from ?? 0) - length / 4;
  const from = part === 'beginning' ? (steps[0]?.asked ?? 0) : Math.max(0, change);
  return { from, to: from + length };
}

function Steps({ picture, span }: { readonly picture: PipelinePicture; readonly span: Span }) {
  const shown = picture.steps.filter(({ asked, free }) => free >= span.from && asked <= span.to);
  return (
    <Table
      caption={t('Pipeline k-iterations')}
      columns={[
        t('tile, k-iteration'),
        t('stage'),
        t('consumers'),
        t('load issued'),
        t('full'),
        t('MMA'),
        t('released'),
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
