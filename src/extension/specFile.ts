/** Writes a changed spec back into its document: an edit that undo takes back, never a save. */
import * as vscode from 'vscode';
import type { GemmSpec } from '../core/spec/schema';
import { difference, valueReplacements } from './difference';

export const specText = (spec: GemmSpec): string => `${JSON.stringify(spec, null, 2)}\n`;

/** Changes only what differs, so that layout, cursors and folds stay. */
export async function writeBack(uri: vscode.Uri, spec: GemmSpec): Promise<boolean> {
  const document = await vscode.workspace.openTextDocument(uri);
  const before = document.getText();
  const after = specText(spec);
  const edit = new vscode.WorkspaceEdit();
  for (const change of valueReplacements(before, spec) ?? [difference(before, after)]) {
    const { start, end, text } = change;
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edit.replace(uri, range, text);
  }
  return await vscode.workspace.applyEdit(edit);
}
