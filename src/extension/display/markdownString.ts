/** The only place that makes a MarkdownString: of Markdown in which text of a workspace is escaped. */
import * as vscode from 'vscode';
import { sourceOf, type Markdown } from '../../core/text/markdown';

/** `icons` lets our own `$(name)` be drawn; commands and HTML are never let through. */
export function markdownString(
  text: Markdown,
  options: { readonly icons?: boolean } = {},
): vscode.MarkdownString {
  const made = new vscode.MarkdownString(sourceOf(text), options.icons ?? false);
  made.isTrusted = false;
  made.supportHtml = false;
  return made;
}
