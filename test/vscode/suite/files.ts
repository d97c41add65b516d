/** Files of the test workspace, as documents. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';

export async function write(name: string, text: string): Promise<vscode.Uri> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder, 'the tests need a workspace');
  const uri = vscode.Uri.joinPath(folder.uri, name);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

export const remove = (uri: vscode.Uri): Thenable<void> => vscode.workspace.fs.delete(uri);

/** Replaces the whole text of a document. */
export async function editAll(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const end = document.lineAt(document.lineCount - 1).range.end;
  edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** A compiler on a busy machine takes seconds. */
const WAIT_MS = 30_000;

/** Waits until `ask` gives what `accept` takes; fails with the last answer. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  accept: (answer: T) => boolean,
  what: string,
): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const answer = await ask();
    if (accept(answer)) return answer;
    if (Date.now() > deadline) assert.fail(`${what}; last seen: ${JSON.stringify(answer)}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
