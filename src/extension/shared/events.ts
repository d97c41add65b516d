/** Combines VS Code events. */
import * as vscode from 'vscode';

/** Fires when any of `events` fires. */
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

/** Fires when one of our settings has changed. */
export const onDidChangeSettings: vscode.Event<void> = listener =>
  vscode.workspace.onDidChangeConfiguration(event => {
    if (event.affectsConfiguration('gemm')) listener();
  });
