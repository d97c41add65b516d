/** Steps of the shared-memory ring buffer of a `wgmma` kernel, with its mbarriers. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { DeclaredKernel } from '../../src/core/kernel/kernel';
import type { Lines } from '../../src/core/kernel/print/statementLines';
import type { LoadedStage, Mbarrier } from '../../src/core/trace/ring';
import { formatNumber } from '../format';
import type { Cursor } from '../state';
import { Excerpt } from './excerpt';
import { Table } from './figure';
import { useLineOfStep, useStepAtCursor } from './linkedSteps';
import { usePlayback } from './playback';
import { Select } from '../kit';
import { oneGroupRing } from './oneGroupRing';
import { specializedRing } from './specializedRing';
import { StepControls } from './stepControls';

/** Number of times that the ring is filled. */
const ROUNDS = 3;

export interface RingStepsProps {
  readonly kernel: DeclaredKernel;
  readonly cursor: Cursor | null;
}

export function RingSteps({ kernel, cursor }: RingStepsProps): VNode {
  const [mistake, setMistake] = useState(NO_MISTAKE);
  const { mistakes, statements, stepText, ...run } = useMemo(() => {
    const { ring, tile, kernelSchedule, instruction } = kernel.model;
    const iterations = Math.min(ROUNDS * ring.stages, Math.ceil(kernel.problem.k / tile.k));
    const options = { ...ring, iterations };
    return kernelSchedule === 'tma'
      ? oneGroupRing(options, mistake, instruction)
      : specializedRing(options, mistake);
  }, [kernel, mistake]);
  const { steps, failure } = run;
  const { count, playing, play, move } = usePlayback(steps.length);
  const lines = useMemo(
    () =>
      new Map(
        Object.entries(statements).map(([action, text]) => [action, lineOf(kernel.source, text)]),
      ),
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
  const hasEmpty = first?.stages.some(stage => 'empty' in stage) ?? false;
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
        {step === null ? t('Start of the block: all stages are free.') : stepText(step)}
      </p>
      {failure !== null && count >= steps.length ? (
        <p class="race" role="alert">
          {failure}
        </p>
      ) : null}
      <Select
        id="ring-mistake"
        label={t('mbarriers')}
        value={mistake}
        choices={[{ value: NO_MISTAKE, label: t('mbarriers as generated') }, ...mistakes]}
        onChoose={value => {
          setMistake(value);
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
          ...(hasEmpty ? [t('empty mbarrier')] : []),
        ]}
        rows={(step?.stages ?? []).map((stage, i) => [
          i,
          statusName(stage.status),
          stage.iteration ?? '',
          barrierText(stage.full),
          ...('empty' in stage ? [barrierText(stage.empty)] : []),
        ])}
      />
    </div>
  );
}

/** Choice without a mistake. */
const NO_MISTAKE = 'none';

const statusName = (status: LoadedStage['status']): string =>
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

function lineOf(source: string, statement: string): Lines | undefined {
  const at = source.indexOf(statement);
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
  readonly stages: readonly (LoadedStage | null)[];
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
