/** Steps of the shared-memory ring buffer of a `wgmma` kernel, with its mbarriers. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { DeclaredKernel } from '../../src/core/kernel/kernel';
import type { Lines } from '../../src/core/kernel/print/statementLines';
import {
  RING_MISTAKES,
  runRing,
  type Mbarrier,
  type RingAction,
  type RingEnd,
  type RingMistake,
  type RingStage,
  type RingStep,
} from '../../src/core/trace/ring';
import { formatNumber } from '../format';
import type { Cursor } from '../state';
import { Excerpt } from './excerpt';
import { Table } from './figure';
import { useLineOfStep, useStepAtCursor } from './linkedSteps';
import { usePlayback } from './playback';
import { Select } from '../kit';
import { StepControls } from './stepControls';

/** Number of times that the ring is filled. */
const ROUNDS = 3;

export interface RingStepsProps {
  readonly kernel: DeclaredKernel;
  readonly cursor: Cursor | null;
}

export function RingSteps({ kernel, cursor }: RingStepsProps): VNode {
  const { ring, tile } = kernel.model;
  const [mistake, setMistake] = useState<RingMistake | null>(null);
  const { steps, end } = useMemo(() => {
    const iterations = Math.min(ROUNDS * ring.stages, Math.ceil(kernel.problem.k / tile.k));
    return runRing({ ...ring, iterations }, mistake);
  }, [kernel, mistake]);
  const { count, playing, play, move } = usePlayback(steps.length);
  const lines = useMemo(
    () => new Map(ACTIONS.map(action => [action, lineOf(kernel.source, action)])),
    [kernel],
  );
  const linesAfter = useCallback(
    (executed: number) => {
      const action = steps[executed - 1]?.action;
      return action === undefined ? undefined : lines.get(action);
    },
    [steps, lines],
  );
  useLineOfStep(kernel, linesAfter(count));
  useStepAtCursor({ cursor, kernel, numSteps: steps.length, count, linesAfter, move });
  const step = steps[count - 1] ?? null;
  const first = steps[0];
  return (
    <div class="ring-steps">
      <StepControls
        numSteps={steps.length}
        count={count}
        playing={playing}
        stops={steps.flatMap(({ action }, i) => (action === 'multiply' ? [i + 1] : []))}
        stopName="k-iteration"
        race={null}
        onPlay={play}
        onMove={move}
      />
      <Ring
        stages={step?.stages ?? first?.stages.map(() => null) ?? []}
        current={step?.stage ?? null}
      />
      <p class="readout" role="status">
        {step === null
          ? t('Start of the block: all stages are free.')
          : stepText(step, ring.releases)}
      </p>
      {end.kind !== 'complete' && count >= steps.length ? (
        <p class="race" role="alert">
          {endText(end)}
        </p>
      ) : null}
      <Select
        id="ring-mistake"
        label={t('mbarriers')}
        value={mistake ?? NO_MISTAKE}
        choices={[
          { value: NO_MISTAKE, label: t('mbarriers as generated') },
          ...RING_MISTAKES.map(value => ({ value, label: mistakeName(value) })),
        ]}
        onChoose={value => {
          setMistake(RING_MISTAKES.find(known => known === value) ?? null);
          move(0);
        }}
      />
      <Excerpt source={kernel.source} lines={linesAfter(count)} />
      <Table
        caption={t('Stages of the ring buffer')}
        columns={[
          t('stage'),
          t('state'),
          t('k-iteration'),
          t('full mbarrier'),
          t('empty mbarrier'),
        ]}
        rows={(step?.stages ?? []).map((stage, i) => [
          i,
          statusName(stage.status),
          stage.iteration ?? '',
          barrierText(stage.full),
          barrierText(stage.empty),
        ])}
      />
    </div>
  );
}

/** Choice without a mistake. */
const NO_MISTAKE = 'none';

const mistakeName = (mistake: RingMistake): string =>
  ({
    'no-release': t('without the release of the consumers'),
    'producer-parity': t('producer waits for phase, not for phase ^ 1'),
    'consumer-parity': t('consumers wait for phase ^ 1, not for phase'),
  })[mistake];

function endText(end: Exclude<RingEnd, { readonly kind: 'complete' }>): string {
  if (end.kind === 'early-read')
    return t(
      'Race: the wait for full[{0}] passes although its bytes have not arrived, so that wgmma of k-iteration {1} reads undefined values.',
      end.stage,
      end.iteration,
    );
  const { producer, consumer } = end;
  const consumers = t(
    'The consumers wait for full[{0}], parity {1}, which no load completes.',
    consumer.stage,
    consumer.parity,
  );
  return producer === null
    ? t('Deadlock. {0}', consumers)
    : t(
        'Deadlock. The producer waits for empty[{0}], parity {1}, which no arrival completes. {2}',
        producer.stage,
        producer.parity,
        consumers,
      );
}

const statusName = (status: RingStage['status']): string =>
  ({
    free: t('free'),
    loading: t('loading'),
    full: t('full'),
    'in use': t('in use'),
  })[status];

const barrierText = ({ parity, pendingArrivals, pendingBytes }: Mbarrier): string =>
  pendingBytes === 0
    ? t('parity {0}, pending arrivals: {1}', parity, pendingArrivals)
    : t('parity {0}, pending bytes: {1}', parity, formatNumber(pendingBytes));

function stepText({ action, stage, iteration, parity }: RingStep, releases: number): string {
  switch (action) {
    case 'waitEmpty':
      return iteration === stage
        ? t(
            'Producer: the wait for empty[{0}], parity {1}, passes. The mbarrier is in its first phase, and the phase before it counts as complete.',
            stage,
            parity ?? 0,
          )
        : t('Producer: the wait for empty[{0}], parity {1}, passes.', stage, parity ?? 0);
    case 'load':
      return t('Producer: TMA loads of k-iteration {0} into stage {1}.', iteration, stage);
    case 'arrive':
      return t('All bytes of stage {0} have arrived: full[{0}] flips its parity.', stage);
    case 'waitFull':
      return t('Consumers: the wait for full[{0}], parity {1}, passes.', stage, parity ?? 0);
    case 'multiply':
      return t('Consumers: wgmma of k-iteration {0} reads stage {1}.', iteration, stage);
    case 'release':
      return t(
        'Consumers release stage {0} (arrivals: {1}): empty[{0}] flips its parity.',
        stage,
        releases,
      );
  }
}

/** Statement of each action in the kernel. */
const STATEMENTS: Readonly<Record<RingAction, string>> = {
  waitEmpty: 'waitBarrier(empty',
  load: 'arriveExpectBytes(barrier',
  arrive: 'arriveExpectBytes(barrier',
  waitFull: 'waitBarrier(full',
  multiply: 'wgmma(acc',
  release: 'arrive(emptyBarriers',
};

const ACTIONS = Object.keys(STATEMENTS) as readonly RingAction[];

function lineOf(source: string, action: RingAction): Lines | undefined {
  const at = source.indexOf(STATEMENTS[action]);
  if (at < 0) return undefined;
  const line = source.slice(0, at).split('\n').length;
  return { first: line, last: line };
}

const RADIUS = 90;
const HOLE = 48;

/** The stages as segments of a ring, clockwise from the top. */
const Ring = ({
  stages,
  current,
}: {
  readonly stages: readonly (RingStage | null)[];
  readonly current: number | null;
}): VNode => (
  <svg
    class="ring"
    viewBox={`${-RADIUS - 4} ${-RADIUS - 4} ${2 * RADIUS + 8} ${2 * RADIUS + 8}`}
    width={2 * RADIUS + 8}
    aria-hidden="true"
  >
    {stages.map((stage, i) => (
      <g key={i}>
        <path
          class={`ring-${(stage?.status ?? 'free').replace(' ', '-')}${i === current ? ' current' : ''}`}
          d={segment(i / stages.length, (i + 1) / stages.length)}
        />
        <text
          {...pointAt((i + 0.5) / stages.length, (RADIUS + HOLE) / 2)}
          text-anchor="middle"
          dy={4}
        >
          {stage?.iteration ?? ''}
        </text>
      </g>
    ))}
  </svg>
);

const pointAt = (turn: number, radius: number): { readonly x: number; readonly y: number } => ({
  x: radius * Math.sin(2 * Math.PI * turn),
  y: -radius * Math.cos(2 * Math.PI * turn),
});

function segment(from: number, to: number): string {
  const large = to - from > 0.5 ? 1 : 0;
  // A full circle needs an end that differs from its start.
  const end = to - from === 1 ? to - 0.0001 : to;
  const at = (turn: number, radius: number): string => {
    const { x, y } = pointAt(turn, radius);
    return `${x} ${y}`;
  };
  return [
    `M${at(from, RADIUS)}`,
    `A${RADIUS} ${RADIUS} 0 ${large} 1 ${at(end, RADIUS)}`,
    `L${at(end, HOLE)}`,
    `A${HOLE} ${HOLE} 0 ${large} 0 ${at(from, HOLE)}Z`,
  ].join('');
}
