/** Findings of the newest runs of a kernel, shown on its lines until the kernel is edited. */
import * as vscode from 'vscode';
import type { Measurement } from '../../core/measure/measurement';
import { newestFindings } from '../runs/findings';
import { kernelTextOf } from '../documents/kernelDocument';
import { isRunOf } from '../runs/lensText';
import { keepProblems } from './problems';

export interface RunProblemParts {
  readonly runs: () => readonly Measurement[];
  readonly onDidChange: vscode.Event<void>;
}

export const watchRuns = (
  { runs, onDidChange }: RunProblemParts,
  isFor: (document: vscode.TextDocument) => boolean,
): vscode.Disposable =>
  keepProblems('gemm-runs', isFor, document => ofRuns(document, runs()), { onDidChange });

function ofRuns(
  document: vscode.TextDocument,
  runs: readonly Measurement[],
): readonly vscode.Diagnostic[] {
  const failed = runs.filter(({ findings }) => findings !== undefined);
  if (failed.length === 0) return [];
  const own = runs.filter(isRunOf(kernelTextOf(document).text));
  return newestFindings(own).flatMap(({ backend, line, message }) => {
    if (line > document.lineCount) return [];
    const { range, firstNonWhitespaceCharacterIndex } = document.lineAt(line - 1);
    const shown = new vscode.Diagnostic(
      range.with({ start: range.start.translate(0, firstNonWhitespaceCharacterIndex) }),
      message,
      vscode.DiagnosticSeverity.Error,
    );
    shown.source = backend;
    return [shown];
  });
}
