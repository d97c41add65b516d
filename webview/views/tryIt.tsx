/** Button that applies an edit; `of` is the id of the description. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { Button } from '../kit';

export const TryIt = (props: { readonly of: string; readonly onPress: () => void }): VNode => (
  <Button describedBy={props.of} onPress={props.onPress}>
    {t('Try')}
  </Button>
);
