/** File access on local disk, without following links. VS Code reads and writes all other files. */
import * as vscode from 'vscode';
import { listRuns } from '../../host/runHistoryFiles';
import type { WorkspaceFiles } from '../abilities';
import { settings } from '../shared/settings';
import { programs } from './loadPrograms';

const isOnDisk = ({ scheme }: vscode.Uri): boolean => scheme === 'file';

export const nodeFiles: WorkspaceFiles = {
  writeGenerated: async file => {
    if (!isOnDisk(file.root)) return await (await programs()).workspaceFiles.writeGenerated(file);
    const result = await (await programs()).writeGenerated({ ...file, root: file.root.fsPath });
    return 'written' in result ? { written: vscode.Uri.file(result.written) } : result;
  },
  appendLines: async (root, name, lines) => {
    if (!isOnDisk(root))
      return await (await programs()).workspaceFiles.appendLines(root, name, lines);
    const result = await (await programs()).appendLines(root.fsPath, name, lines);
    return 'written' in result ? { written: vscode.Uri.file(result.written) } : result;
  },
  adoptRow: async (root, row) => {
    if (!isOnDisk(root)) return await (await programs()).workspaceFiles.adoptRow(root, row);
    const result = await (await programs()).adoptRow(root.fsPath, row);
    return 'written' in result ? { written: vscode.Uri.file(result.written) } : result;
  },
  runOrigin: async root =>
    isOnDisk(root)
      ? await (await programs()).runOrigin(root.fsPath, { names: settings.recordNames() })
      : {},
  listRuns: async root =>
    isOnDisk(root)
      ? await listRuns(root.fsPath)
      : await (await programs()).workspaceFiles.listRuns(root),
};
