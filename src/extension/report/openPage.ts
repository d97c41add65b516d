/** Opens a page that was written to a folder. */
import * as vscode from 'vscode';

/** Opens the page in the browser, or as text if its file is not on this computer. */
export async function openPage(page: vscode.Uri): Promise<void> {
  const isLocal = page.scheme === 'file' && vscode.env.remoteName === undefined;
  if (!isLocal || !(await vscode.env.openExternal(page)))
    await vscode.window.showTextDocument(page);
}
