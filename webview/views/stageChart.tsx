/** Stages that warps copy to themselves, over the first steps along K: as rows in time, and as a table. */
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

/** Steps that are drawn, beyond those under way. */
const MORE_STEPS = 4;

export const PipelineOfStages = (props: StageInput): VNode => (
  <Disclosure summary={t('The pipeline in time')}>
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
  const shown = picture.steps.slice(0, picture.shape.stages + MORE_STEPS);
  const span = { from: 0, to: endOf(picture, shown.length) };
  return (
    <figure class="request">
      <figcaption>{captionOf(picture)}</figcaption>
      <StageRows picture={picture} span={span} />
      <p class="hint">{hintsOf(picture, span).join(' ')}</p>
      <Disclosure summary={t('The pipeline as a table')}>
        {() => <Steps picture={picture} steps={shown} />}
      </Disclosure>
    </figure>
  );
}

/** Where all steps are shown, until the last copy has come. */
const endOf = ({ steps, end }: StagePicture, count: number): number =>
  count === steps.length ? end : (steps[count - 1]?.products.at(-1)?.to ?? end);

function captionOf({ times, rates, shape, stepsOfTile }: StagePicture): string {
  const counts = [formatNumber(stepsOfTile), formatNumber(shape.depths)];
  if (rates === null || times.copy === null) {
    return t(
      'A block has {0} steps along K, of {1} depths each. In order, not to scale: no rate is known for products of this kernel on this device. Those of a depth are drawn as long as the loads of its fragments, and copies until they are waited for.',
      ...counts,
    );
  }
  return t(
    'A block has {0} steps along K, of {1} depths each. Of a depth, products take {2} and loads of fragments {3}; the first byte of a tile comes after {4}, and the last {5} later at the rate of {6}.',
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
    'Of a stage: thin while copies to it are under way, a line while it is full, outlined while fragments are loaded from it, a tick when it may be filled again. In the row of barriers, thin while warps wait for copies. Thick: the products of a depth. A grid line is the first product of a step.',
  ),
  ...(shape.copies === 'registers'
    ? [t('The next tile waits in registers, and goes to its stage once this one is multiplied.')]
    : []),
  ...(again.some(({ asked }) => asked < to)
    ? [t('Past the last tile it is copied again, so that no copy has a test; nobody reads that.')]
    : []),
  ...(rates === null
    ? []
    : [
        t(
          'Derived by the time model, whose latencies were fitted to kernels of ordinary lanes on {0}, for warps in step and a block that has its multiprocessor to itself: others multiply while it waits.',
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
      caption={t('Steps of the pipeline')}
      columns={[
        t('step'),
        t('stage'),
        t('asked for'),
        ...(isTimed ? [t('arrived'), t('wait')] : [t('waited for')]),
        t('fragments'),
        t('products'),
        t('free'),
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
