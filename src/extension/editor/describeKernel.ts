/**
 * *Analyze kernel*: writes the facts that a hand-written kernel needs to be run as a `// @gemm`
 * comment. Facts that the source determines need only a confirmation.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { inferAnnotation, type InferredAnnotation } from '../../core/source/inferAnnotation';
import type { KernelText } from '../../core/source/kernelFile';
import { isInstanceOf } from '../../core/source/templateGuess';
import { DTYPES, type DType } from '../../core/types/dtype';
import { LAYOUTS } from '../../core/spec/schema';
import type { KernelArgument } from '../../hostValues';
import { showInformationMessage } from '../display/notify';
import { showInputBox, showQuickPick } from '../display/picks';
import { isKernel, kernelTextOf } from '../documents/kernelDocument';
import { promptSizes } from '../generate/wizard';
import {
  annotationComment,
  declarationLine,
  fixedAnswers,
  inferredAnswers,
  type Answers,
} from '../../core/source/annotationDraft';
import {
  argumentsText,
  gridSize,
  readArguments,
  readBlock,
  readGrid,
  type Read,
} from './annotationComment';

const STEPS = 6;

export const analyzeTitle = (): string => t('Analyze this kernel');

/**
 * Annotates the kernel in the argument or at the cursor, as a single undoable edit, and compiles
 * it.
 */
export async function describeKernel(
  argument: KernelArgument | undefined,
  compile: (document: vscode.TextDocument) => Promise<void>,
): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document =
    argument === undefined
      ? editor?.document
      : await vscode.workspace.openTextDocument(vscode.Uri.parse(argument.uri, true));
  if (document === undefined || !isKernel(document)) {
    inform(t('Open a kernel (.cu, .cuh, .wgsl) first.'));
    return;
  }
  const file = kernelTextOf(document);
  const entry = argument?.entry ?? atCursor(file, editor?.selection.active.line ?? 0);
  const guess = entry === undefined ? undefined : inferAnnotation(file.text, entry, file.target);
  if (guess === undefined) {
    inform(t('No kernel to annotate in {0}.', file.fileName));
    return;
  }
  const answers = (await confirmInferred(guess, file)) ?? (await promptAnswers(guess, file));
  if (answers === undefined || answers === 'dismissed') return;
  if (await write(document, guess, answers)) await compile(document);
}

/** Summarizes the answers in one line, such as `1024 x 1024 x 1024 f32, block 16 x 16`. */
export function answersText({ sizes, dtype, block, layouts }: Answers): string {
  const { m, n, k } = sizes;
  const stored = layouts.every(layout => layout === 'row')
    ? ''
    : ` ${layouts.map(layout => layout[0]).join('')}`;
  return t('{0} x {1} x {2} {3}, block {4}', m, n, k, dtype + stored, block.join(' x '));
}

/**
 * Prompts once if the source determines all values. Returns undefined if values are missing or the
 * user wants to edit them.
 */
async function confirmInferred(
  guess: InferredAnnotation,
  file: KernelText,
): Promise<Answers | 'dismissed' | undefined> {
  const answers = inferredAnswers(guess, file.kernels.length);
  if (answers === undefined) return undefined;
  const { grid, args, layouts } = answers;
  const items = [
    {
      label: answersText(answers),
      description: guess.template.some(({ from }) => from === 'usual')
        ? t('with usual template arguments, which the file does not state')
        : t('inferred from the source'),
      detail: t(
        '{0}: grid {1}; arguments {2}; {3}',
        answers.entry ?? guess.entry,
        grid.join(' x '),
        argumentsText(args),
        layoutText(layouts),
      ),
      answers,
    },
    { label: t('Edit…'), description: t('6 values'), answers: undefined },
  ];
  const picked = await showQuickPick(items, {
    title: t('Analyze {0}', guess.entry),
    placeHolder: t('Problem and launch'),
    ignoreFocusOut: true,
  });
  return picked === undefined ? 'dismissed' : picked.answers;
}

const inform = (message: string): void => void showInformationMessage(message);

/**
 * Returns the name of the last kernel that starts at or above the cursor, or else of the first
 * kernel.
 */
const atCursor = ({ kernels }: KernelText, line: number): string | undefined =>
  (kernels.findLast(kernel => kernel.line <= line) ?? kernels[0])?.entry;

async function promptAnswers(
  guess: InferredAnnotation,
  file: KernelText,
): Promise<Answers | undefined> {
  const title = (step: number) => t('{0}: launch description ({1}/{2})', guess.entry, step, STEPS);
  const { m, n = m, k = m } = guess.sizes;
  const known = m === undefined || n === undefined || k === undefined ? [] : [{ m, n, k }];
  const sizes = await promptSizes(title(1), known);
  if (sizes === undefined) return undefined;
  const dtype = await promptDtype(title(2), guess);
  if (dtype === undefined) return undefined;
  const layouts = await promptLayouts(title(3), guess);
  if (layouts === undefined) return undefined;
  const block = await type(title(4), {
    prompt: t('Threads per block along x, y, z. {0}', tilesText(guess)),
    value: guess.block?.join(', ') ?? '',
    read: readBlock,
  });
  if (block === undefined) return undefined;
  const grid = await type(title(5), {
    prompt: t(
      'Blocks along x, y, z, as expressions of m, n, k and block.x, block.y. {0}',
      tilesText(guess),
    ),
    value: guess.grid.join(', '),
    read: readGrid,
    preview: value => t('{0} blocks for these sizes', gridSize(value, sizes, block)),
  });
  if (grid === undefined) return undefined;
  const count = guess.parameters.length === 0 ? undefined : guess.parameters.length;
  const args = await type(title(6), {
    prompt: t('Meaning of the kernel parameters, in order: {0}', guess.parameters.join(', ')),
    value: argumentsText(guess.args),
    read: value => readArguments(value, count),
  });
  if (args === undefined) return undefined;
  const instance = guess.template.length === 0 ? undefined : await promptInstance(guess);
  if (instance === undefined && guess.template.length > 0) return undefined;
  const fixed = fixedAnswers({ ...guess, instance }, file.kernels.length);
  return { sizes, dtype, layouts, block, grid, args, ...fixed };
}

/** Prompts for the instance of a template to launch, such as `sgemm<128, 8>`. */
const promptInstance = ({
  entry,
  instance,
  template,
}: InferredAnnotation): Promise<string | undefined> =>
  type(t('{0}: template instance', entry), {
    prompt: t(
      'Template arguments of the kernel to launch: {0}',
      template.map(({ name, value = '?' }) => `${name} = ${value}`).join(', '),
    ),
    value: instance ?? `${entry}<${template.map(({ value = '?' }) => value).join(', ')}>`,
    read: text =>
      isInstanceOf(text.trim(), entry)
        ? { ok: true, value: text.trim() }
        : { ok: false, why: t('Enter the kernel with its template arguments: {0}<...>.', entry) },
  });

const tilesText = ({ tiles }: InferredAnnotation): string => {
  const found = Object.entries(tiles).map(([name, value]) => `${name} = ${value}`);
  return found.length === 0 ? '' : t('Found in the source: {0}.', found.slice(0, 8).join(', '));
};

async function promptDtype(
  title: string,
  { dtype }: InferredAnnotation,
): Promise<DType | undefined> {
  const guessed = { label: dtype ?? 'f32', description: t('inferred from parameters') };
  const others = DTYPES.filter(name => name !== guessed.label).map(label => ({ label }));
  const items = dtype === undefined ? DTYPES.map(label => ({ label })) : [guessed, ...others];
  const placeHolder = t('Element type of the matrices');
  const options = { title, placeHolder, ignoreFocusOut: true };
  const picked = await showQuickPick(items, options);
  return DTYPES.find(name => name === picked?.label);
}

const layoutChoices = () =>
  LAYOUTS.flatMap(c => LAYOUTS.flatMap(b => LAYOUTS.map((a): Answers['layouts'] => [a, b, c])));

function layoutText([a, b, c]: Answers['layouts']): string {
  const words = { row: t('row-major'), col: t('column-major') };
  return t('A {0}, B {1}, C {2}', words[a], words[b], words[c]);
}

async function promptLayouts(
  title: string,
  guess: InferredAnnotation,
): Promise<Answers['layouts'] | undefined> {
  const usual: Readonly<Record<string, string>> = {
    'row,row,row': t('C and C++ arrays'),
    'col,col,col': t('BLAS and Fortran arrays'),
    'row,col,row': t('B transposed'),
    'col,row,row': t('A transposed'),
  };
  const rankOf = ({
    layouts,
    description,
  }: {
    layouts: Answers['layouts'];
    description: string;
  }) => (layouts.join() === guess.layouts.join() ? 2 : Number(description !== ''));
  const items = layoutChoices()
    .map(layouts => ({
      label: layoutText(layouts),
      description: usual[layouts.join()] ?? '',
      layouts,
    }))
    .sort((left, right) => rankOf(right) - rankOf(left));
  const placeHolder = t('Storage order of each matrix');
  const options = { title, placeHolder, ignoreFocusOut: true };
  return (await showQuickPick(items, options))?.layouts;
}

interface Typed<T> {
  readonly prompt: string;
  readonly value: string;
  readonly read: (text: string) => Read<T>;
  readonly preview?: (value: T) => string;
}

async function type<T>(title: string, typed: Typed<T>): Promise<T | undefined> {
  const { prompt, value, read, preview } = typed;
  const text = await showInputBox({
    title,
    prompt,
    value,
    ignoreFocusOut: true,
    validateInput: typing => {
      const now = read(typing);
      if (!now.ok) return now.why;
      const { Info } = vscode.InputBoxValidationSeverity;
      return preview === undefined ? null : { message: preview(now.value), severity: Info };
    },
  });
  const answer = text === undefined ? undefined : read(text);
  return answer?.ok === true ? answer.value : undefined;
}

/** Applies the edit. Returns whether the file was changed. */
async function write(
  document: vscode.TextDocument,
  { entry }: InferredAnnotation,
  answers: Answers,
): Promise<boolean> {
  const edit = annotationEdit(document, kernelTextOf(document), entry, answers);
  if (edit === undefined) {
    inform(t('Nothing was written: the file has changed and no longer contains {0}.', entry));
    return false;
  }
  return await vscode.workspace.applyEdit(edit);
}

/**
 * Replaces the existing annotation of the kernel, or inserts an annotation above its declaration.
 * Removes all other annotations of the kernel. Returns undefined if there is no such kernel.
 */
export function annotationEdit(
  document: vscode.TextDocument,
  file: KernelText,
  wanted: string,
  answers: Answers,
): vscode.WorkspaceEdit | undefined {
  const kernel = file.kernels.find(({ entry }) => entry === wanted);
  if (kernel === undefined) return undefined;
  const edit = new vscode.WorkspaceEdit();
  const [old, ...others] = file.annotations.filter(({ entry }) => entry === wanted);
  const comment = annotationComment(answers);
  if (old === undefined) {
    const lines = file.text.split('\n');
    const line = declarationLine(lines, kernel.line);
    const indentation = /^[ \t]*/.exec(lines[line] ?? '')?.[0] ?? '';
    edit.insert(document.uri, new vscode.Position(line, 0), `${indentation}${comment}\n`);
  } else {
    const { range } = document.lineAt(old.line);
    const start = old.column - '// @gemm '.length;
    edit.replace(document.uri, range.with(range.start.translate(0, start)), comment);
  }
  // Keep one annotation per kernel: a second annotation could contradict the first.
  for (const { line } of others) {
    edit.delete(document.uri, document.lineAt(line).rangeIncludingLineBreak);
  }
  return edit;
}
