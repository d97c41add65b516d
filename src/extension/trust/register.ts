/** Restricted Mode: a rejected action shows a button that manages Workspace Trust. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { showWarningMessage } from '../display/notify';
import { createGuard, type Guard } from './guard';

export const registerTrust = (): Guard => createGuard(() => vscode.workspace.isTrusted, offerTrust);

function offerTrust(message: string): void {
  const manage = t('Manage Workspace Trust');
  void showWarningMessage(message, manage).then(picked => {
    if (picked === manage) void vscode.commands.executeCommand('workbench.trust.manage');
  });
}
