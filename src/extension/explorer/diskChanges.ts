/** Specs and kernels that change on disk (git, a generator, another window) while no editor holds them. */
import * as vscode from 'vscode';
import { KERNEL_GLOB, SPEC_ENDING } from '../ids';

/** VS Code itself says what changes of documents that are open, unsaved edits and all. */
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
    // A file that is replaced in one step may be told as a new one.
    watcher.onDidCreate(changed);
    return watcher;
  });
  return vscode.Disposable.from(...watchers);
}
