/** Playback controls of the steps of a block. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Step } from '../../src/core/trace/blockTrace';
import { Button } from '../kit';

export interface StepControlsProps {
  readonly steps: readonly Step[];
  /** Number of executed steps. */
  readonly count: number;
  readonly playing: boolean;
  readonly onPlay: (play: boolean) => void;
  readonly onMove: (count: number) => void;
}

export function StepControls({ steps, count, playing, onPlay, onMove }: StepControlsProps): VNode {
  const last = steps.length;
  const race = steps.findIndex(({ finding }) => finding !== null);
  return (
    <div class="step-controls" role="group" aria-label={t('Playback')}>
      <Button
        kind="primary"
        onPress={() => {
          onPlay(!playing);
        }}
      >
        {playing ? t('Pause') : t('Play')}
      </Button>
      <Button
        disabled={count === 0}
        onPress={() => {
          onMove(barrierBefore(steps, count));
        }}
      >
        {t('Previous barrier')}
      </Button>
      <Button
        disabled={count === 0}
        onPress={() => {
          onMove(count - 1);
        }}
      >
        {t('Step back')}
      </Button>
      <Button
        disabled={count === last}
        onPress={() => {
          onMove(count + 1);
        }}
      >
        {t('Step')}
      </Button>
      <Button
        disabled={count === last}
        onPress={() => {
          onMove(barrierAfter(steps, count));
        }}
      >
        {t('Next barrier')}
      </Button>
      {race < 0 ? null : (
        <Button
          onPress={() => {
            onMove(race + 1);
          }}
        >
          {t('Go to race')}
        </Button>
      )}
      <label class="step-slider">
        {t('step {0} of {1}', count, last)}
        <input
          type="range"
          min={0}
          max={last}
          value={count}
          onInput={event => {
            onMove(event.currentTarget.valueAsNumber);
          }}
        />
      </label>
    </div>
  );
}

const isBarrier = ({ statement }: Step): boolean => statement.op === 'barrier';

/** Returns the number of steps up to and including the next barrier. */
function barrierAfter(steps: readonly Step[], count: number): number {
  const next = steps.findIndex((step, i) => i >= count && isBarrier(step));
  return next < 0 ? steps.length : next + 1;
}

/** Returns the number of steps up to and including the previous barrier. */
const barrierBefore = (steps: readonly Step[], count: number): number =>
  steps.findLastIndex((step, i) => i < count - 1 && isBarrier(step)) + 1;
