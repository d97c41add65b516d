/** The only module that creates a MarkdownString. Workspace text in it is escaped. */
import * as vscode from 'vscode';
import { sourceOf, type Markdown } from '../../core/text/markdown';

/** Builds a Markdown string. `icons` enables our `$(name)`; commands and HTML are never enabled. */
export function markdownString(
  text: Markdown,
  options: { readonly icons?: boolean } = {},
): vscode.MarkdownString {
  const made = new vscode.MarkdownString(sourceOf(text), options.icons ?? false);
  made.isTrusted = false;
  made.supportHtml = false;
  return made;
}
