/** Decoration of lines that another document or a page refers to. */
import * as vscode from 'vscode';

export const createLineMark = (): vscode.TextEditorDecorationType =>
  vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    // High-contrast themes define no highlight background, so an outline marks the lines.
    outlineColor: new vscode.ThemeColor('editor.rangeHighlightBorder'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.rangeHighlightForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });

/** Highlights ranges of an editor, and scrolls to the first one if none is visible. */
export function markLines(
  editor: vscode.TextEditor,
  mark: vscode.TextEditorDecorationType,
  ranges: readonly vscode.Range[],
): void {
  editor.setDecorations(mark, [...ranges]);
  const [first] = ranges;
  if (first === undefined) return;
  const isSeen = editor.visibleRanges.some(seen => ranges.some(range => seen.contains(range)));
  if (!isSeen) editor.revealRange(first, vscode.TextEditorRevealType.InCenter);
}
