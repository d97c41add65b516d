/** Workspace folders: where files of ours may be written. */
import * as vscode from 'vscode';

/** The folder of `uri` or else the first one, if it lies on this machine's disk. */
export function localFolder(uri?: vscode.Uri): vscode.WorkspaceFolder | undefined {
  const own = uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(uri);
  const folder = own ?? vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.scheme === 'file' ? folder : undefined;
}
