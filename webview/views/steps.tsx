/**
 * Undo, redo and pin buttons with descriptions of their effects, and the notice of unsaved spec
 * edits.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { resolvedOf } from '../derive';
import type { GemmSpec } from '../../src/core/spec/schema';
import type { FromWebview } from '../../src/protocol';
import { changesBetween, describeChange } from '../changes';
import type { Step } from '../history';
import { Button } from '../kit';
import type { Message, State } from '../state';

export interface StepsProps {
  readonly spec: GemmSpec | null;
  readonly history: State['history'];
  readonly faulty: boolean;
  readonly dispatch: (message: Message) => void;
}

export function Steps({ spec, history, faulty, dispatch }: StepsProps): VNode {
  const back = history.past.at(-1);
  const forth = history.future.at(-1);
  const undone = useMemo(() => stepText(spec, back), [spec, back]);
  const redone = useMemo(() => stepText(spec, forth), [spec, forth]);
  const typed = faulty ? t('discards the invalid value') : null;
  return (
    <div class="steps" role="group" aria-label={t('Configuration history')}>
      <StepButton
        name={t('Undo')}
        keys="Ctrl+Z"
        does={typed ?? undone}
        onPress={() => {
          dispatch({ type: 'undo' });
        }}
      />
      <StepButton
        name={t('Redo')}
        keys="Ctrl+Shift+Z"
        does={redone}
        onPress={() => {
          dispatch({ type: 'redo' });
        }}
      />
      <Button
        title={t('Pin this configuration and compare later edits with it')}
        onPress={() => {
          dispatch({ type: 'pin' });
        }}
      >
        {t('Pin')}
      </Button>
    </div>
  );
}

interface StepButtonProps {
  readonly name: string;
  readonly keys: string;
  /** Description of the effect; null if there is nothing to undo or redo. */
  readonly does: string | null;
  readonly onPress: () => void;
}

function StepButton({ name, keys, does, onPress }: StepButtonProps): VNode {
  const title = does === null ? t('{0}: no changes', name) : t('{0}: {1} ({2})', name, does, keys);
  return (
    <Button disabled={does === null} title={title} onPress={onPress}>
      {name}
    </Button>
  );
}

const MAX_LISTED_CHANGES = 4;

function stepText(spec: GemmSpec | null, step: Step | undefined): string | null {
  if (spec === null || step === undefined) return null;
  const changes = changesBetween(resolvedOf(spec), resolvedOf(step.spec));
  const listed = changes.slice(0, MAX_LISTED_CHANGES).map(describeChange).join(', ');
  const more = changes.length - MAX_LISTED_CHANGES;
  if (changes.length === 0) return t('changes only which defaults are explicit');
  return more > 0 ? t('{0} and {1} more', listed, more) : listed;
}

export interface UnwrittenProps {
  readonly name: string;
  readonly trusted: boolean;
  readonly post: (message: FromWebview) => void;
}

/** Reports that the file differs from the configuration, with a button for each version. */
export const Unwritten = ({ name, trusted, post }: UnwrittenProps): VNode => (
  <div class="unwritten" role="status">
    <p>
      {trusted
        ? t('{0} differs from the configuration shown here.', name)
        : t('Restricted Mode: changes are not written to {0}.', name)}
    </p>
    <Button
      disabled={!trusted}
      title={
        trusted
          ? t('Edits the file; Undo in the editor reverts the edit')
          : t('Requires a trusted workspace')
      }
      onPress={() => {
        post({ type: 'writeSpec' });
      }}
    >
      {t('Write to file')}
    </Button>
    <Button
      title={t('Replaces this configuration; Undo restores it')}
      onPress={() => {
        post({ type: 'readSpec' });
      }}
    >
      {t('Load from file')}
    </Button>
  </div>
);
