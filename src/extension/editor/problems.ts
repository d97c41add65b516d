/** Collection of diagnostics that follows the open documents, debounced after each change. */
import * as vscode from 'vscode';

const DELAY_MS = 200;

type Find = (
  document: vscode.TextDocument,
  signal: AbortSignal,
) => readonly vscode.Diagnostic[] | Promise<readonly vscode.Diagnostic[] | undefined>;

export interface KeepOptions {
  readonly delayMs?: number;
  /**
   * Fires when an input other than the document has changed. All open documents are then checked
   * again.
   */
  readonly onDidChange?: vscode.Event<unknown>;
}

/**
 * Keeps a collection of diagnostics up to date. `find` returns the diagnostics of a document, or
 * undefined to keep the previous diagnostics.
 *
 * The signal of `find` is aborted when the document changes or closes. Results for an older version
 * are dropped.
 */
export function keepProblems(
  name: string,
  isFor: (document: vscode.TextDocument) => boolean,
  find: Find,
  { delayMs = DELAY_MS, onDidChange }: KeepOptions = {},
): vscode.Disposable {
  const problems = vscode.languages.createDiagnosticCollection(name);
  const pending = new Map<string, { readonly stop: () => void }>();
  const stop = ({ uri }: vscode.TextDocument): void => {
    pending.get(uri.toString())?.stop();
    pending.delete(uri.toString());
  };
  const update = (document: vscode.TextDocument, delay: number): void => {
    if (!isFor(document)) return;
    stop(document);
    const controller = new AbortController();
    const { version } = document;
    const look = async (): Promise<void> => {
      const found = await find(document, controller.signal);
      const current =
        !controller.signal.aborted && !document.isClosed && document.version === version;
      if (current && found !== undefined) problems.set(document.uri, found);
    };
    const timer = setTimeout(() => void look(), delay);
    pending.set(document.uri.toString(), {
      stop: () => {
        clearTimeout(timer);
        controller.abort();
      },
    });
  };
  const updateAll = (): void => {
    for (const document of vscode.workspace.textDocuments) update(document, 0);
  };
  updateAll();
  return vscode.Disposable.from(
    problems,
    ...(onDidChange === undefined ? [] : [onDidChange(updateAll)]),
    vscode.workspace.onDidOpenTextDocument(document => {
      update(document, 0);
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      update(document, delayMs);
    }),
    vscode.workspace.onDidCloseTextDocument(document => {
      stop(document);
      problems.delete(document.uri);
    }),
    new vscode.Disposable(() => {
      for (const { stop: end } of pending.values()) end();
    }),
  );
}
