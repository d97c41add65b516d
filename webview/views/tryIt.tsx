/** Button that applies an offered edit; `of` is the id of its description. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { Button } from '../kit';

export const TryIt = (props: { readonly of: string; readonly onPress: () => void }): VNode => (
  <Button describedBy={props.of} onPress={props.onPress}>
    {t('Try it')}
  </Button>
);
