/** Search for workspace folders that can be written to. */
import * as vscode from 'vscode';

/**
 * Returns whether a folder is writable. An unknown file system counts as writable, because the
 * write reports errors.
 */
const isWritable = ({ uri }: vscode.WorkspaceFolder): boolean =>
  vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== false;

/**
 * Returns the workspace folder of `uri`, or the first workspace folder if `uri` is in none;
 * undefined if there is no such folder or it is not writable.
 */
export function writableFolder(uri?: vscode.Uri): vscode.WorkspaceFolder | undefined {
  const own = uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(uri);
  const folder = own ?? vscode.workspace.workspaceFolders?.[0];
  return folder !== undefined && isWritable(folder) ? folder : undefined;
}
