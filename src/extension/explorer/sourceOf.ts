/** Content that a command without a choice of its own refers to. */
import * as vscode from 'vscode';
import { isKernel, isSpec } from '../documents/kernelDocument';
import { shownOf, type FromDocument } from '../documents/shown';
import type { ExplorerFeature } from './register';

/** Returns the content of the file, of the active editor, or of the explorer, in this order. */
export async function sourceOf(
  uri: vscode.Uri | undefined,
  { explorer }: Pick<ExplorerFeature, 'explorer'>,
): Promise<FromDocument> {
  if (uri !== undefined) return shownOf(await vscode.workspace.openTextDocument(uri));
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && (isSpec(document) || isKernel(document))
    ? shownOf(document)
    : { ok: true, shown: explorer.currentOrFresh() };
}
