/** Events from several sources. */
import * as vscode from 'vscode';

/** Fires when one of `events` does. */
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

/** Fires when a setting of ours has changed. */
export const onDidChangeSettings: vscode.Event<void> = listener =>
  vscode.workspace.onDidChangeConfiguration(event => {
    if (event.affectsConfiguration('gemm')) listener();
  });
