/**
 * Diagnostics of kernels: annotation errors, run findings, ptxas reports, memory access problems
 * and WGSL compiler messages.
 */
import * as vscode from 'vscode';
import { archOf } from '../../core/hardware/computeCapability';
import { findDevice } from '../../core/hardware/devices';
import { deviceNamed } from '../../core/kernel/kernel';
import { readKernel, type KernelText } from '../../core/source/kernelFile';
import type { CheckedWgsl, WgslRequest } from '../abilities';
import type { CompiledFacts } from '../toolchain/facts';
import { isKernel, isWgsl, kernelTextOf } from '../documents/kernelDocument';
import { settings } from '../shared/settings';
import { accessProblems } from './accessProblems';
import { annotationProblem } from './annotationProblems';
import { compilerProblems } from './compilerProblems';
import { isTooLong } from '../documents/selectors';
import { keepProblems } from './problems';
import { watchRuns, type RunProblemParts } from './runProblems';

export interface ProblemParts extends RunProblemParts {
  readonly factsOfText: (source: string) => readonly CompiledFacts[];
  readonly onDidCompile: vscode.Event<unknown>;
  readonly checkWgsl: (source: string, options: WgslRequest) => Promise<CheckedWgsl>;
  /** Fires when a page with a GPU opens or closes, which changes the available WGSL compilers. */
  readonly onDidChangeWgslCompiler: vscode.Event<void>;
  readonly log: vscode.LogOutputChannel;
}

/** Maximum number of problems per category and file. */
const MAX_PROBLEMS = 100;
/** Maximum uninterrupted computation time in milliseconds. */
const SLICE_MS = 8;
/** Delay after typing in milliseconds, because a check may start a compiler process. */
const WGSL_DELAY_MS = 500;

export function watchKernels(parts: ProblemParts): vscode.Disposable {
  const isShort = (document: vscode.TextDocument): boolean =>
    isKernel(document) && !isTooLong(document);
  const isShortWgsl = (document: vscode.TextDocument): boolean =>
    isWgsl(document) && !isTooLong(document);
  const again = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    again,
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      again.fire();
    }),
    keepProblems('gemm-annotation', isShort, ofAnnotations),
    watchRuns(parts, isShort),
    keepProblems('gemm-ptxas', isShort, document => ofCompiler(document, parts), {
      onDidChange: parts.onDidCompile,
    }),
    keepProblems('gemm-memory', isShort, document => ofAccesses(document, parts), {
      onDidChange: parts.onDidCompile,
    }),
    keepProblems('gemm-wgsl', isShortWgsl, ofWgsl(parts, again), {
      delayMs: WGSL_DELAY_MS,
      onDidChange: again.event,
    }),
  );
}

async function ofAnnotations(
  document: vscode.TextDocument,
  signal: AbortSignal,
): Promise<readonly vscode.Diagnostic[] | undefined> {
  const file = kernelTextOf(document);
  const found: vscode.Diagnostic[] = [];
  let since = performance.now();
  for (const line of file.annotations) {
    if (found.length >= MAX_PROBLEMS) break;
    const problem = annotationProblem(file, line);
    if (problem !== undefined) {
      const { start, end, message } = problem;
      const range = new vscode.Range(problem.line, start, problem.line, end);
      found.push(diagnostic(range, message, vscode.DiagnosticSeverity.Error, 'GEMM'));
    }
    if (performance.now() - since < SLICE_MS) continue;
    await new Promise(resolve => setTimeout(resolve, 0));
    if (signal.aborted) return undefined;
    since = performance.now();
  }
  return found;
}

/**
 * Returns the facts that were compiled for the architecture of the file's device. A file that names
 * no device has the device in the settings.
 */
export function factsOfDevice(
  file: KernelText,
  facts: readonly CompiledFacts[],
): readonly CompiledFacts[] {
  if (facts.length === 0) return facts;
  const read = readKernel(file);
  const device = findDevice(
    (read.ok ? deviceNamed(read.runnable) : undefined) ?? settings.device(),
  );
  const capability = device?.computeCapability;
  return facts.filter(({ arch }) => capability !== undefined && arch === archOf(capability));
}

function ofCompiler(
  document: vscode.TextDocument,
  { factsOfText }: ProblemParts,
): readonly vscode.Diagnostic[] {
  const file = kernelTextOf(document);
  if (file.target !== 'cuda' || file.kernels.length === 0) return [];
  const { Warning, Information } = vscode.DiagnosticSeverity;
  return compilerProblems(file, factsOfDevice(file, factsOfText(file.text)))
    .slice(0, MAX_PROBLEMS)
    .map(({ entry, start, severity, message }) => {
      const position = positionIn(file.text, start);
      const range = new vscode.Range(position, position.translate(0, entry.length));
      return diagnostic(range, message, severity === 'warning' ? Warning : Information, 'ptxas');
    });
}

/**
 * Returns notes on memory accesses at their source line, or at the line of the kernel if no line is
 * known.
 */
function ofAccesses(
  document: vscode.TextDocument,
  { factsOfText }: ProblemParts,
): readonly vscode.Diagnostic[] {
  const file = kernelTextOf(document);
  if (file.target !== 'cuda' || file.kernels.length === 0) return [];
  const { Information } = vscode.DiagnosticSeverity;
  return accessProblems(file, factsOfDevice(file, factsOfText(file.text)))
    .slice(0, MAX_PROBLEMS)
    .map(({ line, message }) => {
      const { range, firstNonWhitespaceCharacterIndex: start } = document.lineAt(line);
      const from = range.with({ start: range.start.translate(0, start) });
      return diagnostic(from, message, Information, 'PTX');
    });
}

/**
 * Converts an offset in the kernel source to a document position, because the line endings of the
 * two may differ.
 */
export function positionIn(text: string, offset: number): vscode.Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length - 1;
  return new vscode.Position(line, offset - (before.lastIndexOf('\n') + 1));
}

function ofWgsl(
  { checkWgsl, onDidChangeWgslCompiler, log }: ProblemParts,
  again: vscode.EventEmitter<void>,
) {
  /** True after a check found no compiler, until the available compilers change. */
  let isMissing = false;
  onDidChangeWgslCompiler(() => {
    isMissing = false;
    again.fire();
  });
  return async (
    document: vscode.TextDocument,
    signal: AbortSignal,
  ): Promise<readonly vscode.Diagnostic[] | undefined> => {
    if (!vscode.workspace.isTrusted) return undefined;
    if (isMissing) return [];
    const file = kernelTextOf(document);
    const read = readKernel(file);
    const limits = read.ok ? read.runnable.spec?.webgpuLimits : undefined;
    // Opening a document does not start a compiler process.
    const mayStart = document.version > 1;
    const checked = await checkWgsl(file.text, { limits, signal, mayStart });
    if (signal.aborted) return undefined;
    if (!checked.ok) {
      isMissing = true;
      log.info(`WGSL is not checked while typing: ${checked.why}`);
      return [];
    }
    return checked.messages.slice(0, MAX_PROBLEMS).map(({ line, column, message }) => {
      const start = new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
      const word = document.getWordRangeAtPosition(start);
      const range = word ?? new vscode.Range(start, start.translate(0, 1));
      return diagnostic(range, message, vscode.DiagnosticSeverity.Error, 'WGSL');
    });
  };
}

function diagnostic(
  range: vscode.Range,
  message: string,
  severity: vscode.DiagnosticSeverity,
  source: string,
): vscode.Diagnostic {
  const shown = new vscode.Diagnostic(range, message, severity);
  shown.source = source;
  return shown;
}
