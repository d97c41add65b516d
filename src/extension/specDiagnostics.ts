/** Problems of `*.gemm.json` documents: what the decoder refuses, and what a target cannot do. */
import * as vscode from 'vscode';
import { check } from '../core/spec/check';
import { locate } from './jsonLocation';
import { syntaxErrorAt } from './jsonSyntax';
import { isSpec, specOf } from './kernelDocument';

const DELAY_MS = 200;

/** Keeps the Problems of every open spec up to date. */
export function watchSpecs(): vscode.Disposable {
  const problems = vscode.languages.createDiagnosticCollection('gemm-spec');
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const update = (document: vscode.TextDocument): void => {
    if (isSpec(document)) problems.set(document.uri, diagnose(document));
  };
  for (const document of vscode.workspace.textDocuments) update(document);
  return vscode.Disposable.from(
    problems,
    vscode.workspace.onDidOpenTextDocument(update),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!isSpec(document)) return;
      const key = document.uri.toString();
      clearTimeout(timers.get(key));
      timers.set(
        key,
        setTimeout(() => {
          timers.delete(key);
          if (!document.isClosed) update(document);
        }, DELAY_MS),
      );
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      problems.delete(uri);
    }),
    new vscode.Disposable(() => {
      for (const timer of timers.values()) clearTimeout(timer);
    }),
  );
}

function diagnose(document: vscode.TextDocument): vscode.Diagnostic[] {
  const { Error, Information } = vscode.DiagnosticSeverity;
  const decoded = specOf(document);
  if (!decoded.ok) {
    const wrong = syntaxErrorAt(document.getText());
    return decoded.errors.map(({ path, message }) =>
      wrong === undefined
        ? at(document, path, message, Error)
        : problem(characterAt(document, wrong), message, Error),
    );
  }
  const { ok, violations } = check(decoded.spec);
  // With no target listed, one that cannot be had is worth knowing and no error.
  const severity = ok ? Information : Error;
  return violations.map(({ target, path, message, nearest }) => {
    const hint = nearest === null ? '' : ` Nearest legal value: ${JSON.stringify(nearest)}.`;
    return at(document, path, `${target}: ${message}${hint}`, severity);
  });
}

function at(
  document: vscode.TextDocument,
  path: string,
  message: string,
  severity: vscode.DiagnosticSeverity,
): vscode.Diagnostic {
  const { start, end } = locate(document.getText(), path);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  const shown = path === '' || start < end ? message : `${path}: ${message}`;
  return problem(range, shown, severity);
}

/** The character at an offset; of an end that came too early, the last one that shows. */
function characterAt(document: vscode.TextDocument, offset: number): vscode.Range {
  const last = Math.max(0, document.getText().trimEnd().length - 1);
  const start = Math.min(offset, last);
  return new vscode.Range(document.positionAt(start), document.positionAt(start + 1));
}

function problem(
  range: vscode.Range,
  message: string,
  severity: vscode.DiagnosticSeverity,
): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(range, message, severity);
  diagnostic.source = 'GEMM';
  return diagnostic;
}
