/** *Copy link to this spec*. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { linkTo, MAX_LINK_CHARACTERS } from '../../specLink';
import { showErrorMessage, showStatusNote } from '../display/notify';
import type { Shown } from '../documents/shown';

export async function copyLink({ spec }: Shown): Promise<void> {
  const link = await linkTo(spec, vscode.env.uriScheme);
  if (link === null) {
    void showErrorMessage(
      t(
        'No link was copied: it would exceed {0} characters. Fix: send the spec file.',
        MAX_LINK_CHARACTERS,
      ),
    );
    return;
  }
  await vscode.env.clipboard.writeText(link);
  showStatusNote(t('Link to this spec copied'), 3000);
}
