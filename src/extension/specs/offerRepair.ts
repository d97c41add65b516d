/**
 * Notification for an invalid spec, with a button that repairs it and resumes the requested action.
 */
import * as vscode from 'vscode';
import { parseSpec } from '../../core/spec/decode';
import { difference } from './difference';
import { showErrorMessage } from '../display/notify';
import { shownOf, type Shown } from '../documents/shown';
import { specText } from './specFile';
import { repairOf } from './specRepair';

/**
 * Shows the notification. Its button edits the document without saving it, and calls `onRepaired`
 * with the repaired spec. A spec without a file is repaired only in memory.
 */
export async function offerRepair(
  message: string,
  shown: Shown,
  onRepaired: (legal: Shown) => Promise<unknown>,
): Promise<void> {
  const { specFile } = shown;
  const document =
    specFile === undefined ? undefined : await vscode.workspace.openTextDocument(specFile);
  const text = document?.getText() ?? specText(shown.spec);
  const repair = repairOf(text);
  const buttons = repair === undefined ? [] : [repair.title];
  const picked = await showErrorMessage(message, ...buttons);
  if (repair === undefined || picked === undefined) return;
  const legal =
    document === undefined
      ? withText(shown, repair.text)
      : await edited(document, text, repair.text);
  if (legal !== undefined) await onRepaired(legal);
}

function withText(shown: Shown, text: string): Shown | undefined {
  const decoded = parseSpec(text);
  return decoded.ok ? { ...shown, spec: decoded.spec } : undefined;
}

/**
 * Applies the repair unless the document has changed since the notification appeared. Returns the
 * content of the document; undefined if it is invalid or if VS Code rejected the edit.
 */
async function edited(
  document: vscode.TextDocument,
  before: string,
  after: string,
): Promise<Shown | undefined> {
  if (document.getText() === before) {
    const { start, end, text } = difference(before, after);
    const edit = new vscode.WorkspaceEdit();
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edit.replace(document.uri, range, text);
    if (!(await vscode.workspace.applyEdit(edit))) return undefined;
  }
  const read = shownOf(document);
  return read.ok ? read.shown : undefined;
}
