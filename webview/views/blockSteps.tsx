/** Section "Steps": plays one thread block, statement by statement. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { isLowered, type Kernel } from '../../src/core/kernel/kernel';
import { statementLines, type Lines } from '../../src/core/kernel/print/statementLines';
import type { Statement } from '../../src/core/kernel/ir/ir';
import type { TaggedElement } from '../../src/core/trace/tags';
import { tileAround } from '../../src/core/trace/tileOfC';
import { createReplay } from '../../src/core/trace/traceState';
import { alignedLines } from '../alignedLines';
import { formatPercent } from '../format';
import { Button, Select, Spinner } from '../kit';
import type { Cursor } from '../state';
import { Journey } from './journey';
import { useLineOfStep, useStepAtCursor } from './linkedSteps';
import { usePlayback } from './playback';
import { RingSteps } from './ringSteps';
import { StepControls } from './stepControls';
import { StepFacts } from './stepFacts';
import { StepPicture } from './stepPicture';
import { useTrace, type Traced } from './tracing';

interface StepsProps {
  readonly kernel: Kernel;
  readonly cursor: Cursor | null;
}

export interface BlockStepsProps extends StepsProps {
  /** Content below the steps. */
  readonly after: VNode;
}

/** Barrier choice that keeps all barriers. */
const ALL = 'all';

export const BlockSteps = ({ after, ...props }: BlockStepsProps): VNode => (
  <>
    <Steps {...props} />
    {after}
  </>
);

function Steps({ kernel, cursor }: StepsProps): VNode {
  const [started, setStarted] = useState(false);
  if (!started)
    return (
      <div class="steps-start">
        <Button
          kind="primary"
          onPress={() => {
            setStarted(true);
          }}
        >
          {t('Trace a thread block')}
        </Button>
      </div>
    );
  return isLowered(kernel) ? (
    <Tracing kernel={kernel} cursor={cursor} />
  ) : (
    <RingSteps kernel={kernel} cursor={cursor} />
  );
}

function Tracing({ kernel, cursor }: StepsProps): VNode {
  const [removed, setRemoved] = useState(ALL);
  const { traced, fraction, why } = useTrace(kernel, removed === ALL ? null : Number(removed));
  if (why !== null) return <p class="hint">{t('This kernel has no steps: {0}', why)}</p>;
  const isStale = traced !== null && fraction !== null;
  return (
    <>
      {fraction === null ? null : <Progress fraction={fraction} />}
      {traced === null ? (
        <div class="awaited" style={{ minBlockSize: '30lh' }} aria-busy="true" />
      ) : (
        <div class={isStale ? 'later stale' : 'later'} aria-busy={isStale}>
          <Player
            key={`${traced.subject.kernel.specKey} ${traced.removed}`}
            {...traced}
            cursor={cursor}
          />
          <Barriers {...traced} chosen={removed} onChoose={setRemoved} />
        </div>
      )}
    </>
  );
}

const Progress = ({ fraction }: { readonly fraction: number }): VNode => (
  <div class="progress">
    <Spinner />
    <span
      role="progressbar"
      aria-label={t('Tracing')}
      aria-valuenow={Math.round(100 * fraction)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      {formatPercent(Math.round(100 * fraction) / 100)}
    </span>
  </div>
);

interface BarriersProps extends Traced {
  readonly chosen: string;
  readonly onChoose: (removed: string) => void;
}

function Barriers({ subject, whole, chosen, onChoose }: BarriersProps): VNode {
  const linesOf = useLinesOf({ subject, whole });
  return (
    <div class="step-barriers">
      <Select
        id="step-barriers"
        label={t('Barriers')}
        value={chosen}
        choices={[
          { value: ALL, label: t('with all barriers') },
          ...subject.barriers.map((barrier, i) => ({
            value: String(i),
            label: t('without the barrier in line {0}', linesOf(barrier)?.first ?? i + 1),
          })),
        ]}
        onChoose={onChoose}
      />
    </div>
  );
}

/** Returns the lines of a statement of the traced kernel in the source of the whole kernel. */
function useLinesOf({
  subject: { kernel },
  whole,
}: Pick<Traced, 'subject' | 'whole'>): (statement: Statement) => Lines | undefined {
  return useMemo(() => {
    const lines = statementLines(kernel, kernel);
    const inWhole = alignedLines(kernel.source, whole.source);
    return statement => {
      const own = lines.get(statement);
      return own === undefined ? undefined : (inWhole(own) ?? undefined);
    };
  }, [kernel, whole]);
}

function Player({ cursor, ...traced }: Traced & { readonly cursor: Cursor | null }): VNode {
  const { whole, trace } = traced;
  const { kernel } = traced.subject;
  const { steps } = trace;
  const { count, playing, play, move } = usePlayback(steps.length);
  const [followed, setFollowed] = useState<TaggedElement | null>(null);
  const replay = useMemo(() => createReplay(trace), [trace]);
  const state = useMemo(() => replay.stateAfter(count), [replay, count]);
  const total = useMemo(() => replay.stateAfter(steps.length).counters, [replay]);
  const tile = useMemo(() => tileAround(kernel, { entry: 0, row: 0, column: 0 }), [kernel]);
  const linesOf = useLinesOf(traced);
  const linesAfter = useCallback(
    (executed: number) => {
      const statement = steps[executed - 1]?.statement;
      return statement === undefined ? undefined : linesOf(statement);
    },
    [steps, linesOf],
  );
  useLineOfStep(whole, linesAfter(count));
  useStepAtCursor({ cursor, kernel: whole, numSteps: steps.length, count, linesAfter, move });
  const step = steps[count - 1] ?? null;
  const race = steps.findIndex(({ finding }) => finding !== null);
  return (
    <div class="block-steps">
      <StepControls
        numSteps={steps.length}
        count={count}
        playing={playing}
        stops={steps.flatMap(({ statement }, i) => (statement.op === 'barrier' ? [i + 1] : []))}
        stopName="barrier"
        race={race < 0 ? null : race + 1}
        onPlay={play}
        onMove={move}
      />
      <StepPicture
        kernel={kernel}
        trace={trace}
        tile={tile}
        state={state}
        step={step}
        followed={followed}
        onFollow={setFollowed}
      />
      <StepFacts
        source={whole.source}
        step={step}
        lines={linesAfter(count)}
        counters={state.counters}
        total={total}
      />
      <Journey
        kernel={kernel}
        trace={trace}
        followed={followed}
        onFollow={setFollowed}
        onMove={move}
      />
    </div>
  );
}
