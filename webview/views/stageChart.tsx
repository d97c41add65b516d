/** Timeline and table of the first k-iterations, for pipelines without a producer warp group. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import {
  stagePicture,
  type StageInput,
  type StagePicture,
} from '../../src/core/charts/stagePicture';
import { deviceOf } from '../../src/core/hardware/devices';
import type { Span } from '../../src/core/charts/stageTimeline';
import { formatMilliseconds, formatNumber } from '../format';
import { Disclosure } from './disclosure';
import { Table } from './figure';
import { StageRows } from './stageRows';

const time = (nanoseconds: number): string => formatMilliseconds(nanoseconds / 1e6);

/** Number of k-iterations drawn in addition to the pipeline stages. */
const EXTRA_K_ITERATIONS = 4;

export const PipelineOfStages = (props: StageInput): VNode => (
  <Disclosure summary={t('Pipeline timeline')}>
    {() => (
      <div class="later">
        <StageChart {...props} />
      </div>
    )}
  </Disclosure>
);

function StageChart({ plan, device, analysis }: StageInput): VNode | null {
  const { globalMemory, sharedMemory } = analysis;
  const picture = useMemo(
    () => stagePicture({ plan, device, analysis }),
    [plan, device, globalMemory, sharedMemory],
  );
  if (picture === null) return null;
  const shown = picture.steps.slice(0, picture.shape.stages + EXTRA_K_ITERATIONS);
  const span = { from: 0, to: endOf(picture, shown.length) };
  return (
    <figure class="request">
      <figcaption>{captionOf(picture)}</figcaption>
      <StageRows picture={picture} span={span} />
      <p class="hint">{hintsOf(picture, span).join(' ')}</p>
      <Disclosure summary={t('Pipeline as table')} repeats>
        {() => <Steps picture={picture} steps={shown} />}
      </Disclosure>
    </figure>
  );
}

const endOf = ({ steps, end }: StagePicture, count: number): number =>
  count === steps.length ? end : (steps[count - 1]?.products.at(-1)?.to ?? end);

function captionOf({ times, rates, shape, stepsOfTile }: StagePicture): string {
  const counts = [formatNumber(stepsOfTile), formatNumber(shape.depths)];
  if (rates === null || times.copy === null) {
    return t(
      'A block runs {0} k-iterations of {1} k-steps each. Order only, not to scale: no math rate is known for this kernel on this device. Math and fragment loads have equal lengths; copies end at their wait.',
      ...counts,
    );
  }
  return t(
    'A block runs {0} k-iterations of {1} k-steps each. Per k-step: math {2}, fragment loads {3}. Per tile copy: latency {4}, then {5} at {6} bandwidth.',
    ...counts,
    time(times.multiply),
    time(times.fragments),
    time(times.copy.latency),
    time(times.copy.load),
    rates.loadsFrom === 'dram' ? 'DRAM' : 'L2',
  );
}

const hintsOf = ({ shape, rates, again }: StagePicture, { to }: Span): readonly string[] => [
  t(
    'Stages: thin bar = copy in flight, line = full, outlined bar = fragment loads, tick = released. Barrier row: thin bar = wait for copies. Thick bar = math of a k-step. Grid lines mark the start of the math of each k-iteration.',
  ),
  ...(shape.copies === 'registers'
    ? [t('The next tile waits in registers until the math of the current tile is done.')]
    : []),
  ...(again.some(({ asked }) => asked < to)
    ? [t('After the last tile, the copy is repeated to avoid a bounds test; its data is not used.')]
    : []),
  ...(rates === null
    ? []
    : [
        t(
          'Derived by the time model with latencies calibrated on SIMT kernels on {0}. It assumes warps in lockstep and one block per SM; additional resident blocks would compute during the waits.',
          deviceOf(rates.calibratedOn).name,
        ),
      ]),
];

interface StepsProps {
  readonly picture: StagePicture;
  readonly steps: StagePicture['steps'];
}

function Steps({ picture: { times }, steps }: StepsProps): VNode {
  const isTimed = times.copy !== null;
  const moment = isTimed ? time : formatNumber;
  const range = (of: readonly Span[]): string =>
    `${moment(of[0]?.from ?? 0)} – ${moment(of.at(-1)?.to ?? 0)}`;
  return (
    <Table
      caption={t('Pipeline k-iterations')}
      columns={[
        t('k-iteration'),
        t('stage'),
        t('copy issued'),
        ...(isTimed ? [t('arrived'), t('wait')] : [t('wait')]),
        t('fragment loads'),
        t('math'),
        t('released'),
      ]}
      numeric={[0, 1, 2, 3, 4, 5, 6, ...(isTimed ? [7] : [])]}
      rows={steps.map(({ step, stage, asked, arrived, waited, fragments, products, free }) => [
        step + 1,
        stage + 1,
        moment(asked),
        moment(arrived),
        ...(isTimed ? [time(waited.to - waited.from)] : []),
        range(fragments),
        range(products),
        moment(free),
      ])}
    />
  );
}
