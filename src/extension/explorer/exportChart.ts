/**
 * *Save SVG, PNG, CSV*: saves a chart from the page to a file that the user selects. Requires a
 * trusted workspace.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromWebview } from '../../protocol';
import { chartBytes, chartFileName } from './chartFile';
import { showErrorMessage, showInformationMessage } from '../display/notify';
import { settings } from '../shared/settings';

export type ExportChart = Extract<FromWebview, { type: 'exportChart' }>;

export async function exportChart(
  { name: chart, format, content }: ExportChart,
  kernel: string,
): Promise<void> {
  const bytes = chartBytes(format, content);
  if (bytes === undefined) {
    const why = t(
      'Nothing was saved: the page did not return a valid {0}. Fix: try again.',
      format.toUpperCase(),
    );
    void showErrorMessage(why);
    return;
  }
  const name = chartFileName(chart, kernel, format);
  const folder = await offeredFolder();
  const target = await vscode.window.showSaveDialog({
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
    filters: { [format.toUpperCase()]: [format] },
    title: t('Save chart'),
  });
  if (target === undefined) return;
  try {
    await vscode.workspace.fs.writeFile(target, bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    void showErrorMessage(
      t('{0} could not be written ({1}). Fix: choose a different location.', target.path, why),
    );
    return;
  }
  const open = t('Open');
  const picked = await showInformationMessage(t('Saved {0}.', target.path), open);
  if (picked === open) await vscode.commands.executeCommand('vscode.open', target);
}

/**
 * Returns the folder of generated kernels if it exists in the first workspace folder, otherwise
 * that workspace folder; undefined without a workspace.
 */
async function offeredFolder(): Promise<vscode.Uri | undefined> {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const configured = settings.outputFolder();
  if (root === undefined || /^[/\\]|^[A-Za-z]:|\.\./.test(configured)) return root;
  const folder = vscode.Uri.joinPath(root, configured);
  try {
    const { type } = await vscode.workspace.fs.stat(folder);
    return type === vscode.FileType.Directory ? folder : root;
  } catch {
    return root;
  }
}
