/**
 * Links lines of generated kernels with the pictures of the explorer. Lines that a picture refers to
 * are highlighted in the editors, and the line of the cursor is reported to the pages.
 */
import * as vscode from 'vscode';
import { hashText } from '../../core/text/hash';
import type { FromWebview, ToWebview } from '../../protocol';
import { isKernel } from '../documents/kernelDocument';

type Highlight = Omit<Extract<FromWebview, { type: 'highlightLines' }>, 'type'>;

export class KernelLines implements vscode.Disposable {
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    // High-contrast themes define no highlight background, so an outline marks the lines.
    outlineColor: new vscode.ThemeColor('editor.rangeHighlightBorder'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.rangeHighlightForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
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
      const isShown = hashOf(editor.document) === sourceHash;
      editor.setDecorations(this.mark, isShown ? ranges : []);
      const [range] = ranges;
      const isSeen = editor.visibleRanges.some(seen => ranges.some(each => seen.contains(each)));
      if (isShown && range !== undefined && !isSeen)
        editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
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
