/**
 * *Annotate kernel*: prompts for facts that the source of a hand-written kernel lacks, and writes
 * them as a `// @gemm` comment.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { guessAnnotation, type AnnotationGuess } from '../../core/source/annotationGuess';
import type { KernelText } from '../../core/source/kernelFile';
import { DTYPES, type DType } from '../../core/types/dtype';
import { LAYOUTS } from '../../core/spec/schema';
import type { KernelArgument } from '../shared/commandArguments';
import { showInformationMessage } from '../display/notify';
import { showInputBox, showQuickPick } from '../display/picks';
import { isKernel, kernelTextOf } from '../documents/kernelDocument';
import { promptSizes } from '../generate/wizard';
import {
  annotationComment,
  argumentsText,
  declarationLine,
  gridSize,
  readArguments,
  readBlock,
  readGrid,
  type Answers,
  type Read,
} from './annotationComment';

const STEPS = 6;

/** Annotates the kernel in the argument or at the cursor, as a single undoable edit. */
export async function describeKernel(argument: KernelArgument | undefined): Promise<void> {
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
  const guess = entry === undefined ? undefined : guessAnnotation(file.text, entry, file.target);
  if (guess === undefined) {
    inform(t('{0} contains no kernel to annotate.', file.fileName));
    return;
  }
  const answers = await promptAnswers(guess, file);
  if (answers !== undefined) await write(document, guess, answers);
}

const inform = (message: string): void => void showInformationMessage(message);

/**
 * Returns the name of the last kernel that starts at or above the cursor, or else of the first
 * kernel.
 */
const atCursor = ({ kernels }: KernelText, line: number): string | undefined =>
  (kernels.findLast(kernel => kernel.line <= line) ?? kernels[0])?.entry;

async function promptAnswers(
  guess: AnnotationGuess,
  file: KernelText,
): Promise<Answers | undefined> {
  const title = (step: number) => t('{0}: launch description ({1}/{2})', guess.entry, step, STEPS);
  const { m, n = m, k = m } = guess.sizes;
  const known = m === undefined || n === undefined || k === undefined ? [] : [{ m, n, k }];
  const sizes = await promptSizes(title(1), known);
  if (sizes === undefined) return undefined;
  const dtype = await promptDtype(title(2), guess);
  if (dtype === undefined) return undefined;
  const layouts = await promptLayouts(title(3));
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
  const named = file.kernels.length > 1 ? { entry: guess.entry } : {};
  return { sizes, dtype, layouts, block, grid, args, ...named };
}

const tilesText = ({ tiles }: AnnotationGuess): string => {
  const found = Object.entries(tiles).map(([name, value]) => `${name} = ${value}`);
  return found.length === 0 ? '' : t('Found in the source: {0}.', found.slice(0, 8).join(', '));
};

async function promptDtype(title: string, { dtype }: AnnotationGuess): Promise<DType | undefined> {
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

async function promptLayouts(title: string): Promise<Answers['layouts'] | undefined> {
  const words = { row: t('row-major'), col: t('column-major') };
  const usual: Readonly<Record<string, string>> = {
    'row,row,row': t('C and C++ arrays'),
    'col,col,col': t('BLAS and Fortran arrays'),
    'row,col,row': t('B transposed'),
    'col,row,row': t('A transposed'),
  };
  const items = layoutChoices()
    .map(layouts => ({
      label: t('A {0}, B {1}, C {2}', words[layouts[0]], words[layouts[1]], words[layouts[2]]),
      description: usual[layouts.join()] ?? '',
      layouts,
    }))
    .sort((left, right) => Number(right.description !== '') - Number(left.description !== ''));
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

/**
 * Replaces the existing annotation of the kernel, or inserts an annotation above its declaration.
 * Removes all other annotations of the kernel.
 */
async function write(
  document: vscode.TextDocument,
  guess: AnnotationGuess,
  answers: Answers,
): Promise<void> {
  const file = kernelTextOf(document);
  const kernel = file.kernels.find(({ entry }) => entry === guess.entry);
  if (kernel === undefined) {
    inform(t('Nothing was written: the file has changed and no longer contains {0}.', guess.entry));
    return;
  }
  const edit = new vscode.WorkspaceEdit();
  const [old, ...others] = file.annotations.filter(({ entry }) => entry === guess.entry);
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
  await vscode.workspace.applyEdit(edit);
  if (guess.isTemplate) {
    inform(
      t(
        '{0} is a template, which cannot be launched directly. Fix: add an explicit instantiation, or a non-template kernel that calls its body.',
        guess.entry,
      ),
    );
  }
}
