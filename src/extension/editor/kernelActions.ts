/**
 * Code actions for kernels: adding or fixing the `// @gemm` comment, and remedies for register
 * spills, uncoalesced accesses and bank conflicts.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { decodeSpec } from '../../core/spec/decode';
import { annotationOf, readKernel, type KernelText } from '../../core/source/kernelFile';
import type { GemmSpec } from '../../core/spec/schema';
import type { KernelArgument } from '../../hostValues';
import type { CompiledFacts } from '../toolchain/facts';
import { COMMANDS, REGENERATE } from '../ids';
import { kernelTextOf } from '../documents/kernelDocument';
import { inferAnnotation } from '../../core/source/inferAnnotation';
import { accessFix, accessProblems, type AccessFix } from './accessProblems';
import { inferredAnswers } from '../../core/source/annotationDraft';
import { annotationProblem } from './annotationProblems';
import { analyzeTitle, annotationEdit, answersText } from './describeKernel';
import { compilerProblems, registerSavings, type CompilerProblem } from './compilerProblems';
import { isTooLong, KERNELS } from '../documents/selectors';
import { factsOfDevice, positionIn } from './kernelProblems';

export interface ActionParts {
  readonly factsOfText: (source: string) => readonly CompiledFacts[];
  /** Writes the kernels of a changed spec. Asks before it replaces edited files. */
  readonly generate: (spec: GemmSpec) => Promise<void>;
}

export const registerKernelActions = (parts: ActionParts): vscode.Disposable =>
  vscode.Disposable.from(
    vscode.languages.registerCodeActionsProvider(
      KERNELS,
      {
        provideCodeActions: (document, range, _, token) =>
          token.isCancellationRequested || isTooLong(document)
            ? []
            : actionsAt(document, range, parts),
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
    vscode.commands.registerCommand(REGENERATE, async (argument: unknown) => {
      const decoded = decodeSpec(argument);
      if (decoded.ok) await parts.generate(decoded.spec);
    }),
  );

function actionsAt(
  document: vscode.TextDocument,
  range: vscode.Range,
  { factsOfText }: ActionParts,
): vscode.CodeAction[] {
  const file = kernelTextOf(document);
  const describing = file.kernels.flatMap(({ entry, line, nameAt }) => {
    const isNear = range.end.line >= line && range.start.line <= line + MAX_LINES;
    const isHere = isNear && range.start.line <= positionIn(file.text, nameAt).line;
    return isHere && annotationOf(file, entry) === undefined
      ? [...annotating(document, file, entry), command(analyzeTitle(), document, entry)]
      : [];
  });
  const annotationFixes = file.annotations.flatMap(annotation => {
    const isHere = range.start.line <= annotation.line && range.end.line >= annotation.line;
    const problem = isHere ? annotationProblem(file, annotation) : undefined;
    if (problem === undefined) return [];
    return [
      ...problem.instead.map(entry => rename(document, problem, entry)),
      ...(problem.entry === undefined
        ? []
        : [command(t('Re-create the annotation of {0}…', problem.entry), document, problem.entry)]),
    ];
  });
  const facts = factsOfDevice(file, factsOfText(file.text));
  const spillFixes = compilerProblems(file, facts).flatMap(problem => {
    const at = positionIn(file.text, problem.start);
    return range.start.line <= at.line && range.end.line >= at.line
      ? registerSavingActions(document, file, problem)
      : [];
  });
  const accesses = accessProblems(file, facts).flatMap(problem => {
    if (range.start.line > problem.line || range.end.line < problem.line) return [];
    const fix = accessFix(file, problem, facts);
    return fix === undefined ? [] : [editing(document, file, fix)];
  });
  const accessFixes = [...new Map(accesses.map(fix => [fix.title, fix])).values()];
  return [...describing, ...annotationFixes, ...spillFixes, ...accessFixes];
}

function editing(
  document: vscode.TextDocument,
  { text }: KernelText,
  { title, edits }: AccessFix,
): vscode.CodeAction {
  const fixing = action(title);
  fixing.edit = new vscode.WorkspaceEdit();
  for (const { start, end, text: by } of edits) {
    const changed = new vscode.Range(positionIn(text, start), positionIn(text, end));
    fixing.edit.replace(document.uri, changed, by);
  }
  return fixing;
}

/** Returns the edit that adds the comment, if the source determines all its values. */
function annotating(
  document: vscode.TextDocument,
  file: KernelText,
  entry: string,
): readonly vscode.CodeAction[] {
  const inferred = inferAnnotation(file.text, entry, file.target);
  const answers = inferred && inferredAnswers(inferred, file.kernels.length);
  if (answers === undefined) return [];
  const edit = annotationEdit(document, file, entry, answers);
  if (edit === undefined) return [];
  const adding = action(t('Add // @gemm: {0}', answersText(answers)));
  adding.edit = edit;
  return [adding];
}

/** Maximum number of lines between `__global__` and the kernel name. */
const MAX_LINES = 20;

function action(title: string): vscode.CodeAction {
  return new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
}

function command(title: string, document: vscode.TextDocument, entry: string): vscode.CodeAction {
  const argument: KernelArgument = { uri: document.uri.toString(), entry };
  const annotate = action(title);
  annotate.command = { title, command: COMMANDS.describeKernel, arguments: [argument] };
  return annotate;
}

function rename(
  document: vscode.TextDocument,
  { line, start, end }: { readonly line: number; readonly start: number; readonly end: number },
  entry: string,
): vscode.CodeAction {
  const renaming = action(t('Use this annotation for {0}', entry));
  renaming.edit = new vscode.WorkspaceEdit();
  renaming.edit.replace(
    document.uri,
    new vscode.Range(line, start, line, end),
    JSON.stringify(entry),
  );
  return renaming;
}

/**
 * Returns fixes for a high register count: different specs for generated kernels, and different
 * launch bounds for all other kernels.
 */
function registerSavingActions(
  document: vscode.TextDocument,
  file: KernelText,
  { entry, bounds }: CompilerProblem,
): readonly vscode.CodeAction[] {
  const read = readKernel(file, entry);
  const spec = read.ok && read.origin === 'generated' ? read.runnable.spec : undefined;
  if (spec !== undefined) {
    const savings = registerSavings(spec);
    const regenerating = savings.map(({ path, value, spec: changed, registers }) => {
      const [before, after] = registers;
      const title =
        value === undefined
          ? t('Regenerate without {0}', path)
          : t(
              'Regenerate with {0} = {1} (about {2} registers per thread instead of {3})',
              path,
              value,
              after,
              before,
            );
      const regenerate = action(title);
      regenerate.command = { title, command: REGENERATE, arguments: [changed] };
      return regenerate;
    });
    const title = t('Open explorer with this configuration');
    const explore = action(title);
    // The explorer opens at the field that the first change edits.
    const field = savings[0]?.path;
    const argument: KernelArgument = {
      uri: document.uri.toString(),
      entry,
      ...(field === undefined ? {} : { field }),
    };
    explore.command = { title, command: COMMANDS.openExplorer, arguments: [argument] };
    return [...regenerating, explore];
  }
  if (bounds === undefined || bounds.minBlocksPerSm < 2) return [];
  const fewer = bounds.minBlocksPerSm - 1;
  const threads = file.text.slice(bounds.start, bounds.end).replace(/,[^,]*$/, '');
  const loosening = action(
    fewer === 1
      ? t('Remove minBlocksPerSm from __launch_bounds__')
      : t('Lower minBlocksPerSm from {1} to {0}', fewer, bounds.minBlocksPerSm),
  );
  loosening.edit = new vscode.WorkspaceEdit();
  loosening.edit.replace(
    document.uri,
    new vscode.Range(positionIn(file.text, bounds.start), positionIn(file.text, bounds.end)),
    fewer === 1 ? threads : `${threads}, ${fewer}`,
  );
  return [loosening];
}
