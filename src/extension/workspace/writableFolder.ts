/** Workspace folders: where files of ours may be written. */
import * as vscode from 'vscode';

/** Unknown counts as writable: what keeps a file from being written is said when it is tried. */
const isWritable = ({ uri }: vscode.WorkspaceFolder): boolean =>
  vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== false;

/** The folder of `uri` or else the first one, if it can be written to. */
export function writableFolder(uri?: vscode.Uri): vscode.WorkspaceFolder | undefined {
  const own = uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(uri);
  const folder = own ?? vscode.workspace.workspaceFolders?.[0];
  return folder !== undefined && isWritable(folder) ? folder : undefined;
}
