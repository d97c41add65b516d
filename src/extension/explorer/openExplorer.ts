/** Implementation of *Open explorer* and *Show roofline*. */
import * as vscode from 'vscode';
import { showWarningMessage } from '../display/notify';
import type { Explorer } from './explorer';
import { isKernel, isSpec } from '../documents/kernelDocument';
import { followedAt } from '../documents/ownKernel';
import { shownOf, type Shown } from '../documents/shown';

export async function openExplorer(
  explorer: Explorer,
  uri: vscode.Uri | undefined,
  field: string | undefined,
): Promise<void> {
  explorer.open(await shownFor(uri), { focus: field ?? 'top', takeFocus: true });
}

/**
 * Opens the explorer at the roofline. The explorer then follows the active kernel, including edited
 * and hand-written kernels.
 */
export async function showRoofline(explorer: Explorer, uri: vscode.Uri | undefined): Promise<void> {
  const editor = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === uri?.toString(),
  );
  const { document, selection } = editor ?? vscode.window.activeTextEditor ?? {};
  const isAsked = uri === undefined || document?.uri.toString() === uri.toString();
  const followed =
    document === undefined || !isAsked
      ? undefined
      : followedAt(document, selection?.active.line ?? 0);
  const options = { focus: 'roofline', follow: true } as const;
  if (followed === undefined) explorer.open(await shownFor(uri), options);
  else explorer.open(undefined, { ...options, followed });
}

/**
 * Returns the spec of the document in the argument or in the active editor; undefined if there is
 * none. Shows a warning if a spec or kernel document has no valid spec.
 */
async function shownFor(uri: vscode.Uri | undefined): Promise<Shown | undefined> {
  const document =
    uri === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(uri);
  if (document === undefined || (!isSpec(document) && !isKernel(document))) return undefined;
  const read = shownOf(document);
  if (read.ok) return read.shown;
  void showWarningMessage(read.reason);
  return undefined;
}
