/**
 * Links lines of generated kernels with the pictures of the explorer. Lines that a picture refers
 * to are highlighted in the editors, and the line of the cursor is reported to the pages.
 */
import * as vscode from 'vscode';
import { hashText } from '../../core/text/hash';
import type { FromWebview, ToWebview } from '../../protocol';
import { isKernel } from '../documents/kernelDocument';
import { createLineMark, markLines } from '../shared/lineMark';

type Highlight = Omit<Extract<FromWebview, { type: 'highlightLines' }>, 'type'>;

export class KernelLines implements vscode.Disposable {
  private readonly mark = createLineMark();
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(post: (message: ToWebview) => void) {
    this.subscriptions = [
      this.mark,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        const { document } = textEditor;
        const [selection] = selections;
        if (selection === undefined || !isKernel(document)) return;
        const line = selection.active.line + 1;
        post({ type: 'cursor', sourceHash: hashOf(document), line });
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0) return;
        for (const editor of vscode.window.visibleTextEditors)
          if (editor.document === document) editor.setDecorations(this.mark, []);
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Highlights the lines in editors with this source, and scrolls to them without the focus. */
  highlight({ sourceHash, lines }: Highlight): void {
    const ranges = lines.map(({ first, last }) => new vscode.Range(first - 1, 0, last - 1, 0));
    for (const editor of vscode.window.visibleTextEditors) {
      if (!isKernel(editor.document)) continue;
      markLines(editor, this.mark, hashOf(editor.document) === sourceHash ? ranges : []);
    }
  }
}

const hashes = new WeakMap<
  vscode.TextDocument,
  { readonly version: number; readonly hash: string }
>();

/** Returns the hash of the text with the line ends of generated files. */
function hashOf(document: vscode.TextDocument): string {
  const { version } = document;
  const known = hashes.get(document);
  if (known?.version === version) return known.hash;
  const hash = hashText(document.getText().replaceAll('\r\n', '\n'));
  hashes.set(document, { version, hash });
  return hash;
}
