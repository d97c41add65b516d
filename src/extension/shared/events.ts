/** Combinations of VS Code events. */
import * as vscode from 'vscode';

/** Returns an event that fires when any of `events` fires. */
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

/** Fires when a setting of this extension has changed. */
export const onDidChangeSettings: vscode.Event<void> = listener =>
  vscode.workspace.onDidChangeConfiguration(event => {
    if (event.affectsConfiguration('gemm')) listener();
  });
