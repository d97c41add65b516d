/** Writes a changed spec back into its document: an edit that undo takes back, never a save. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { valueReplacements } from '../../core/spec/jsonText';
import type { GemmSpec } from '../../core/spec/schema';
import { difference } from './difference';
import { showErrorMessage } from '../display/notify';

export const specText = (spec: GemmSpec): string => `${JSON.stringify(spec, null, 2)}\n`;

/** Changes only what differs, so that layout, cursors and folds stay. */
async function writeBack(uri: vscode.Uri, spec: GemmSpec): Promise<boolean> {
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

/** Edits of spec files, one after the other; of those waiting only the last counts. */
export class SpecWriter {
  private writing: Promise<void> = Promise.resolve();
  private writes = 0;

  isBusy(): boolean {
    return this.writes > 0;
  }

  /** `latest` gives what to write when its turn has come, undefined for nothing; `wrote` is told. Never rejects. */
  async write(
    specFile: vscode.Uri,
    latest: () => GemmSpec | undefined,
    wrote: (spec: GemmSpec) => void,
    log: vscode.LogOutputChannel,
  ): Promise<void> {
    this.writes += 1;
    this.writing = this.writing.then(async () => {
      try {
        const spec = latest();
        if (spec === undefined) return;
        if (!(await writeBack(specFile, spec))) throw new Error(t('VS Code refused the edit.'));
        wrote(spec);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.error(`${specFile.fsPath} was not changed: ${reason}`);
        const file = vscode.workspace.asRelativePath(specFile);
        void showErrorMessage(
          t(
            '{0} was not changed: {1} The explorer keeps the edit; Write to file tries again.',
            file,
            reason,
          ),
        );
      } finally {
        this.writes -= 1;
      }
    });
    await this.writing;
  }
}
