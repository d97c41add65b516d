/** Checks a task file of the workspace, and shows the result as a diagnostic and a notification. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { checkTask } from '../../core/course/check';
import type { RunKernel } from '../../core/course/checkKernel';
import type { TaskCheck } from '../../core/course/outcome';
import { withTask } from '../../core/course/progress';
import type { Task } from '../../core/course/task';
import { taskOfFile } from '../../core/course/tasks/tasks';
import { showInformationMessage, showWarningMessage } from '../display/notify';
import { runChosen, selectRunnable } from '../runs/runnables';
import type { RunParts } from '../runs/runCommands';
import type { Toolchain } from '../toolchain/register';
import type { ProgressStore } from './progressStore';

const SEED = 27;
const TASK_FILE = /^\d\d-[a-z-]+\.(loops|gemm\.json|cu|wgsl)$/;

/** Glob of files that may be task files. */
export const TASK_GLOB = '**/*.{loops,json,cu,wgsl}';

const nameOf = (uri: vscode.Uri): string => uri.path.split('/').pop() ?? '';

/** Returns the task of a file by its name; undefined for all other files. */
export const taskOf = (uri: vscode.Uri): Task | undefined => {
  const name = nameOf(uri);
  return TASK_FILE.test(name) ? taskOfFile(name) : undefined;
};

export interface CheckParts {
  readonly progress: ProgressStore;
  readonly diagnostics: vscode.DiagnosticCollection;
  readonly hostBackend: Toolchain['hostBackend'];
  readonly runParts: RunParts;
}

/** Checks the text of a document, including unsaved changes. Saves the progress if it passes. */
export async function checkDocument(
  document: vscode.TextDocument,
  task: Task,
  parts: CheckParts,
  signal: AbortSignal,
): Promise<TaskCheck> {
  const fileName = nameOf(document.uri);
  const version = document.version;
  const result = await checkTask(task, document.getText(), {
    fileName,
    // Restricted Mode starts no compiler, so that other answers than the solution stay unchecked.
    ...(vscode.workspace.isTrusted ? { run: runOf(document, parts, signal) } : {}),
  });
  if (document.version === version) mark(document, result, parts.diagnostics);
  if (result.passed) await parts.progress.change(known => withTask(known, task.id));
  return result;
}

function runOf(
  document: vscode.TextDocument,
  { hostBackend, runParts }: CheckParts,
  signal: AbortSignal,
): RunKernel {
  return async runnable => {
    if (runnable.target === 'cuda') {
      const backend = hostBackend('cpu');
      const here = await backend.probe();
      if (!here.available) return null;
      const request = { runnable, mode: 'verify', seed: SEED } as const;
      return await backend.run(request, { abort: signal, progress: () => undefined });
    }
    const { entry } = runnable;
    const chosen = await selectRunnable(document, entry, 'verify', undefined, runParts.toolChain);
    if ('why' in chosen) return null;
    const watcher = { signal, report: () => undefined, mayReplace: true };
    return await runChosen(chosen, 'verify', document.uri, runParts, watcher);
  };
}

/** Shows a failed check as a diagnostic at its line; removes an earlier one. */
function mark(
  document: vscode.TextDocument,
  { passed, message, detail, line = 1 }: TaskCheck,
  diagnostics: vscode.DiagnosticCollection,
): void {
  if (passed) {
    diagnostics.delete(document.uri);
    return;
  }
  const { range } = document.lineAt(Math.min(line, document.lineCount) - 1);
  const text = [message, ...detail].join('\n');
  const found = new vscode.Diagnostic(range, text, vscode.DiagnosticSeverity.Warning);
  found.source = 'GEMM';
  found.code = 'task';
  diagnostics.set(document.uri, [found]);
}

/** Shows the result. Resolves when the notification is closed. */
export async function notify(
  task: Task,
  result: TaskCheck,
  openChapter: () => void,
): Promise<void> {
  const [first, second] = task.hints;
  const next = t('Continue');
  if (result.passed) {
    const text = t('Task passed: {0}. {1}', task.title, result.message);
    if ((await showInformationMessage(text, next)) === next) openChapter();
    return;
  }
  const hint = t('Hint');
  const example = result.detail[0] ?? '';
  const text = t('Task not passed: {0} {1}', result.message, example);
  if ((await showWarningMessage(text, hint)) !== hint) return;
  const more = t('Next hint');
  if ((await showInformationMessage(first, more)) === more) void showInformationMessage(second);
}
