/** Creates every MarkdownString of the extension. Text from the workspace is escaped. */
import * as vscode from 'vscode';
import { sourceOf, type Markdown } from '../../core/text/markdown';

/**
 * Builds a Markdown string. The `icons` option enables `$(name)`; commands and HTML are always
 * disabled.
 */
export function markdownString(
  text: Markdown,
  options: { readonly icons?: boolean } = {},
): vscode.MarkdownString {
  const made = new vscode.MarkdownString(sourceOf(text), options.icons ?? false);
  made.isTrusted = false;
  made.supportHtml = false;
  return made;
}
