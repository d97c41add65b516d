/** Message about the last action, which the user can dismiss. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { Button } from '../kit';
import type { Message, State } from '../state';

export interface NoticeProps {
  readonly state: Pick<State, 'notice'>;
  readonly dispatch: (message: Message) => void;
}

export function Notice({ state, dispatch }: NoticeProps): VNode {
  return (
    <div role="alert" class="notice-place">
      {state.notice === null ? null : (
        <div class="notice">
          <p>{state.notice}</p>
          <Button
            onPress={() => {
              dispatch({ type: 'notice', text: null });
            }}
          >
            {t('Dismiss')}
          </Button>
        </div>
      )}
    </div>
  );
}
