/** Files on this machine's disk are replaced in one step, through no link; others are VS Code's to write. */
import * as vscode from 'vscode';
import { adoptRow } from '../../host/dispatch';
import { writeGenerated } from '../../host/files';
import { appendRun, readRuns, rewriteRuns } from '../../host/runs';
import type { WorkspaceFiles } from '../abilities';
import { workspaceFiles } from '../workspaceFiles';

const isOnDisk = ({ scheme }: vscode.Uri): boolean => scheme === 'file';

export const nodeFiles: WorkspaceFiles = {
  writeGenerated: async file => {
    if (!isOnDisk(file.root)) return await workspaceFiles.writeGenerated(file);
    const result = await writeGenerated({ ...file, root: file.root.fsPath });
    return 'written' in result ? { written: vscode.Uri.file(result.written) } : result;
  },
  appendRun: async (root, name, measurement) => {
    if (!isOnDisk(root)) return await workspaceFiles.appendRun(root, name, measurement);
    const result = await appendRun(root.fsPath, name, measurement);
    return 'written' in result ? { written: vscode.Uri.file(result.written) } : result;
  },
  rewriteRuns: async (root, name, change) => {
    if (!isOnDisk(root)) return await workspaceFiles.rewriteRuns(root, name, change);
    const result = await rewriteRuns(root.fsPath, name, change);
    return 'written' in result ? { written: vscode.Uri.file(result.written) } : result;
  },
  adoptRow: async (root, row) => {
    if (!isOnDisk(root)) return await workspaceFiles.adoptRow(root, row);
    const result = await adoptRow(root.fsPath, row);
    return 'written' in result ? { written: vscode.Uri.file(result.written) } : result;
  },
  readRuns: root => (isOnDisk(root) ? readRuns(root.fsPath) : workspaceFiles.readRuns(root)),
};
