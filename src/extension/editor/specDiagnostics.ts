/**
 * Problems of `*.gemm.json` documents with their fixes: checks beyond the JSON Schema, and targets
 * that are not legal.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { KernelArgument } from '../../hostValues';
import { SPECS } from '../documents/selectors';
import { keepProblems } from './problems';
import { COMMANDS } from '../ids';
import { isSpec } from '../documents/kernelDocument';
import { specProblems, type SpecProblem } from '../specs/specProblems';

export const watchSpecs = (): vscode.Disposable =>
  vscode.Disposable.from(
    keepProblems(
      'gemm-spec',
      isSpec,
      document => problemsOf(document).map(problem => diagnostic(document, problem)),
      { onDidChange: vscode.workspace.onDidChangeConfiguration },
    ),
    vscode.languages.registerCodeActionsProvider(
      SPECS,
      { provideCodeActions: (document, range) => fixes(document, range) },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );

const problemsOf = (document: vscode.TextDocument): readonly SpecProblem[] =>
  specProblems(document.getText(), { schemaSpeaks: hasSchemaValidation(document) });

/**
 * Returns whether VS Code reports violations of the JSON Schema. Its JSON support may be disabled,
 * or the document may have a different language ID.
 */
const hasSchemaValidation = ({ languageId, uri }: vscode.TextDocument): boolean =>
  languageId === 'json' &&
  vscode.extensions.getExtension('vscode.json-language-features') !== undefined &&
  vscode.workspace.getConfiguration('json', uri).get('validate.enable') !== false;

const rangeOf = (
  document: vscode.TextDocument,
  { start, end }: Pick<SpecProblem, 'start' | 'end'>,
): vscode.Range => new vscode.Range(document.positionAt(start), document.positionAt(end));

function diagnostic(document: vscode.TextDocument, problem: SpecProblem): vscode.Diagnostic {
  const { Error, Information } = vscode.DiagnosticSeverity;
  const severity = problem.severity === 'error' ? Error : Information;
  const shown = new vscode.Diagnostic(rangeOf(document, problem), problem.message, severity);
  shown.source = 'GEMM';
  return shown;
}

function fixes(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
  const { QuickFix } = vscode.CodeActionKind;
  return problemsOf(document).flatMap(problem => {
    const { fix } = problem;
    if (rangeOf(document, problem).intersection(range) === undefined) return [];
    const explore = exploring(document, problem);
    if (fix === undefined) return explore;
    const action = new vscode.CodeAction(fix.title, QuickFix);
    action.edit = new vscode.WorkspaceEdit();
    for (const edit of fix.edits)
      action.edit.replace(document.uri, rangeOf(document, edit), edit.text);
    action.diagnostics = [diagnostic(document, problem)];
    action.isPreferred = true;
    return [action, ...explore];
  });
}

function exploring(document: vscode.TextDocument, problem: SpecProblem): vscode.CodeAction[] {
  const { field } = problem;
  if (field === undefined) return [];
  const title = t('Open explorer at {0}', field);
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  const argument: KernelArgument = { uri: document.uri.toString(), field };
  action.command = { title, command: COMMANDS.openExplorer, arguments: [argument] };
  action.diagnostics = [diagnostic(document, problem)];
  return [action];
}
