/** Combinations of VS Code events. */
import * as vscode from 'vscode';

export const anyEvent =
  (...events: readonly vscode.Event<unknown>[]): vscode.Event<void> =>
  (listener, thisArgs, disposables) => {
    const all = vscode.Disposable.from(
      ...events.map(event =>
        event(() => {
          listener.call(thisArgs);
        }),
      ),
    );
    disposables?.push(all);
    return all;
  };

export const onDidChangeSettings: vscode.Event<void> = listener =>
  vscode.workspace.onDidChangeConfiguration(event => {
    if (event.affectsConfiguration('gemm')) listener();
  });
