/** Playback controls of steps. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { Button } from '../kit';

const stopTexts = () => ({
  barrier: [t('Previous barrier'), t('Next barrier')] as const,
  'k-iteration': [t('Previous k-iteration'), t('Next k-iteration')] as const,
  'innermost loop': [t('Previous innermost loop'), t('Next innermost loop')] as const,
});

export interface StepControlsProps {
  readonly numSteps: number;
  /** Number of executed steps. */
  readonly count: number;
  readonly playing: boolean;
  /** Numbers of executed steps at which a barrier, k-iteration or loop ends. */
  readonly stops: readonly number[];
  readonly stopName: keyof ReturnType<typeof stopTexts>;
  /** Number of executed steps after the first race; null if there is none. */
  readonly race: number | null;
  readonly onPlay: (play: boolean) => void;
  readonly onMove: (count: number) => void;
}

export function StepControls(props: StepControlsProps): VNode {
  const { numSteps: last, count, playing, stops, stopName, race, onPlay, onMove } = props;
  const [previous, next] = stopTexts()[stopName];
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
          onMove(stops.findLast(stop => stop < count) ?? 0);
        }}
      >
        {previous}
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
          onMove(stops.find(stop => stop > count) ?? last);
        }}
      >
        {next}
      </Button>
      {race === null ? null : (
        <Button
          onPress={() => {
            onMove(race);
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
