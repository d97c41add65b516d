/** Undo and redo of the configuration, what each would do, and the file that does not follow. */
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
  const typed = faulty ? t('takes back what is no legal value') : null;
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
        title={t('Holds this configuration as B, to compare the next ones with')}
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
  /** Null where there is nothing to do. */
  readonly does: string | null;
  readonly onPress: () => void;
}

function StepButton({ name, keys, does, onPress }: StepButtonProps): VNode {
  const title =
    does === null ? t('{0}: nothing to do', name) : t('{0}: {1} ({2})', name, does, keys);
  return (
    <Button disabled={does === null} title={title} onPress={onPress}>
      {name}
    </Button>
  );
}

/** More than this is not read in a tooltip. */
const FIELDS_SAID = 4;

function stepText(spec: GemmSpec | null, step: Step | undefined): string | null {
  if (spec === null || step === undefined) return null;
  const changes = changesBetween(resolvedOf(spec), resolvedOf(step.spec));
  const said = changes.slice(0, FIELDS_SAID).map(describeChange).join(', ');
  const more = changes.length - FIELDS_SAID;
  if (changes.length === 0) return t('what is written down, no value');
  return more > 0 ? t('{0} and {1} more', said, more) : said;
}

export interface UnwrittenProps {
  readonly name: string;
  readonly trusted: boolean;
  readonly post: (message: FromWebview) => void;
}

/** The file is not overwritten without asking: it may have been changed too. */
export const Unwritten = ({ name, trusted, post }: UnwrittenProps): VNode => (
  <div class="unwritten" role="status">
    <p>
      {trusted
        ? t('{0} holds another configuration than the one shown here.', name)
        : t('{0} does not follow in Restricted Mode: what you change stays here.', name)}
    </p>
    <Button
      disabled={!trusted}
      title={trusted ? t('Edits the file; its own undo takes that back') : t('Needs trust')}
      onPress={() => {
        post({ type: 'writeSpec' });
      }}
    >
      {t('Write to file')}
    </Button>
    <Button
      title={t('Undo brings this configuration back')}
      onPress={() => {
        post({ type: 'readSpec' });
      }}
    >
      {t("Show the file's")}
    </Button>
  </div>
);
