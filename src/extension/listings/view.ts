/** Read-only documents with PTX, SASS or Nsight Compute tables that exist only in memory. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { PTX_SCHEME } from '../ids';

/** Maximum number of cached listings, which VS Code may reopen. */
const MAX_TEXTS = 50;

export class ListingView implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;

  constructor() {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(PTX_SCHEME, {
      onDidChange: this.changed.event,
      provideTextDocumentContent: uri =>
        this.texts.get(uri.toString()) ??
        `// ${t('This listing is no longer cached. Fix: open it again from its kernel.')}\n`,
    });
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  keep(uri: vscode.Uri, text: string): void {
    const key = uri.toString();
    this.texts.delete(key);
    if (this.texts.size >= MAX_TEXTS) this.texts.delete(this.texts.keys().next().value ?? '');
    this.texts.set(key, text);
    this.changed.fire(uri);
  }

  /**
   * Stores the listing and opens it. A visible listing keeps its editor column; all others open
   * next to the active editor, at the line `start`.
   */
  async show(uri: vscode.Uri, text: string, start?: number): Promise<void> {
    this.keep(uri, text);
    const key = uri.toString();
    const open = vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.toString() === key,
    );
    const document = await vscode.workspace.openTextDocument(uri);
    const viewColumn = open?.viewColumn ?? vscode.ViewColumn.Beside;
    const editor = await vscode.window.showTextDocument(document, { viewColumn, preview: true });
    if (open !== undefined || start === undefined) return;
    // The selection stays, because a moved selection would highlight lines of the source.
    const range = new vscode.Range(start, 0, start, 0);
    editor.revealRange(range, vscode.TextEditorRevealType.AtTop);
  }
}
