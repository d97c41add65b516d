/** Watcher of specs and kernels that change on disk (git, a generator, another window). */
import * as vscode from 'vscode';
import { KERNEL_GLOB, SPEC_ENDING } from '../ids';

/**
 * Calls `act` with the document of each shown file that changed on disk. VS Code's document events
 * cover only open documents.
 */
export function watchDisk(
  isShown: (uri: vscode.Uri) => boolean,
  act: (document: vscode.TextDocument) => void,
): vscode.Disposable {
  const changed = (uri: vscode.Uri): void => {
    if (!isShown(uri)) return;
    void Promise.resolve(vscode.workspace.openTextDocument(uri)).then(act, () => undefined);
  };
  const watchers = [`**/*${SPEC_ENDING}`, KERNEL_GLOB].map(glob => {
    const watcher = vscode.workspace.createFileSystemWatcher(glob, false, false, true);
    watcher.onDidChange(changed);
    // An atomic replace may be reported as a new file.
    watcher.onDidCreate(changed);
    return watcher;
  });
  return vscode.Disposable.from(...watchers);
}
