/**
 * Writer of changed specs to their documents. Each write is an edit that can be undone, and never
 * saves the file.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { valueReplacements } from '../../core/spec/jsonText';
import type { GemmSpec } from '../../core/spec/schema';
import { difference } from './difference';
import { showErrorMessage } from '../display/notify';

export const specText = (spec: GemmSpec): string => `${JSON.stringify(spec, null, 2)}\n`;

/**
 * Edits only the difference, so that formatting, cursors and folds are kept. Returns false if VS
 * Code rejects the edit.
 */
async function writeBack(document: vscode.TextDocument, spec: GemmSpec): Promise<boolean> {
  const before = document.getText();
  const after = specText(spec);
  const edit = new vscode.WorkspaceEdit();
  for (const change of valueReplacements(before, spec) ?? [difference(before, after)]) {
    const { start, end, text } = change;
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edit.replace(document.uri, range, text);
  }
  return await vscode.workspace.applyEdit(edit);
}

export interface SpecEdit {
  /** Returns the spec when the edit starts, or undefined to cancel. */
  readonly latest: () => GemmSpec | undefined;
  /**
   * Returns whether the edit may replace the text that the document has when the edit starts. The
   * edit is cancelled if not.
   */
  readonly mayReplace: (document: vscode.TextDocument) => boolean;
  /** Called after a successful edit. */
  readonly onWritten: (spec: GemmSpec) => void;
}

/**
 * Serializes edits of spec files. Each edit writes the spec that is newest when the edit starts.
 */
export class SpecWriter {
  private writing: Promise<void> = Promise.resolve();
  private writes = 0;

  isBusy(): boolean {
    return this.writes > 0;
  }

  /** Writes the spec. Never rejects. */
  async write(specFile: vscode.Uri, edit: SpecEdit, log: vscode.LogOutputChannel): Promise<void> {
    this.writes += 1;
    this.writing = this.writing.then(async () => {
      try {
        const document = await vscode.workspace.openTextDocument(specFile);
        const spec = edit.latest();
        if (spec === undefined || !edit.mayReplace(document)) return;
        if (!(await writeBack(document, spec))) throw new Error(t('VS Code rejected the edit.'));
        edit.onWritten(spec);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.error(`${specFile.fsPath} was not changed: ${reason}`);
        const file = vscode.workspace.asRelativePath(specFile);
        void showErrorMessage(
          t(
            'Not written: {0} The explorer keeps the edit. Fix: use "Write to file" to retry. ({1})',
            reason,
            file,
          ),
        );
      } finally {
        this.writes -= 1;
      }
    });
    await this.writing;
  }
}
