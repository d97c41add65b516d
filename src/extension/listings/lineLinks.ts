/**
 * Line links between a kernel and its listing. Lines selected in one document are highlighted in
 * the other.
 */
import * as vscode from 'vscode';
import { createLineMark, markLines } from '../shared/lineMark';
import { linesFrom, linesInto } from './linkedLines';

export interface Link {
  /** Compiled document; the links are valid only for its text at compilation. */
  readonly source: vscode.Uri;
  readonly text: string;
  /** Zero-based source lines of each listing line. */
  readonly sources: readonly (readonly number[])[];
}

const MAX_LINKS = 50;

export class LineLinks implements vscode.Disposable {
  private readonly links = new Map<string, Link>();
  private readonly mark = createLineMark();
  private readonly subscriptions = [
    this.mark,
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      this.follow(textEditor);
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      const isSource = [...this.links.values()].some(
        ({ source }) => source.toString() === document.uri.toString(),
      );
      if (isSource) this.clear();
    }),
  ];

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Adds a link and highlights the listing lines of the current selection in the source. */
  add(listing: vscode.Uri, link: Link): void {
    const key = listing.toString();
    this.links.delete(key);
    if (this.links.size >= MAX_LINKS) this.links.delete(this.links.keys().next().value ?? '');
    this.links.set(key, link);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === link.source.toString()) this.follow(editor);
    }
  }

  private clear(): void {
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.mark, []);
  }

  private follow(editor: vscode.TextEditor): void {
    const { uri } = editor.document;
    const selected = editor.selections.map(({ start, end }) => [start.line, end.line] as const);
    for (const [listing, link] of this.links) {
      const isListing = uri.toString() === listing;
      if (!isListing && uri.toString() !== link.source.toString()) continue;
      const other = isListing ? link.source.toString() : listing;
      const lines = isListing
        ? linesFrom(link.sources, selected)
        : linesInto(link.sources, selected);
      for (const shown of vscode.window.visibleTextEditors) {
        if (shown.document.uri.toString() !== other) continue;
        const source = isListing ? shown : editor;
        const isCurrent = source.document.getText() === link.text;
        const ranges = lines.map(line => new vscode.Range(line, 0, line, 0));
        markLines(shown, this.mark, isCurrent ? ranges : []);
      }
      editor.setDecorations(this.mark, []);
    }
  }
}
