/** Test Explorer: verifies every kernel of the workspace on the first usable backend. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { kernelSites } from '../../core/source/kernelSites';
import { plainText } from '../../core/text/plainText';
import { backendName } from '../../core/measure/backendName';
import type { TaskCheck } from '../../core/course/outcome';
import type { Measurement } from '../../core/measure/measurement';
import type { Course } from '../course/register';
import { taskOf } from '../course/checkFile';
import { isTooLong, tooLongText } from '../documents/selectors';
import { KERNEL_GLOB, TESTS } from '../ids';
import { isSpec, nameOf } from '../documents/kernelDocument';
import type { RunParts } from '../runs/runCommands';
import { progressText } from '../runs/runJob';
import { selectRunnable, runChosen } from '../runs/runnables';
import { factsOf, outcomeText } from '../runs/runText';
import type { Guard } from '../trust/guard';
import { terminalText } from './terminal';
import { kernelUris, LOOPS_GLOB, loopUris, MAX_LISTED, SPEC_GLOB } from './workspaceKernels';

export interface TestParts {
  /** Checks a task file of the course; returns undefined for other files. */
  readonly checkTask: Course['check'];
  readonly runParts: RunParts;
  readonly guard: Guard;
}

/** Registers the tests; discovery starts when the Test Explorer is opened. */
export function registerTests({ runParts, guard, checkTask }: TestParts): vscode.Disposable {
  const controller = vscode.tests.createTestController(TESTS, t('GEMM kernels'));
  const watchers: vscode.Disposable[] = [];
  controller.resolveHandler = async item => {
    if (item !== undefined) {
      await findKernels(controller, item);
      return;
    }
    if (watchers.length === 0) watchers.push(...watchFiles(controller));
    await findFiles(controller);
  };
  controller.refreshHandler = () => findFiles(controller);
  const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
    guard(t('Running a kernel'), () =>
      runTests(controller, request, token, { ...runParts, checkTask }),
    );
  controller.createRunProfile(t('Verify'), vscode.TestRunProfileKind.Run, run, true);
  return new vscode.Disposable(() => {
    for (const watcher of watchers) watcher.dispose();
    controller.dispose();
  });
}

async function findFiles(controller: vscode.TestController): Promise<void> {
  const loops = (await loopUris(MAX_LISTED)).filter(uri => taskOf(uri) !== undefined);
  const uris = [...(await kernelUris(MAX_LISTED)), ...loops].slice(0, MAX_LISTED);
  const items = uris.map(uri => fileItem(controller, uri));
  if (uris.length === MAX_LISTED) {
    const more = controller.createTestItem('more', t('Only {0} files are listed', MAX_LISTED));
    more.error = t('Open a smaller folder to list the remaining files.');
    items.push(more);
  }
  controller.items.replace(items);
}

function fileItem(controller: vscode.TestController, uri: vscode.Uri): vscode.TestItem {
  const known = controller.items.get(uri.toString());
  if (known !== undefined) return known;
  // VS Code would render `$(name)` in a label as an icon.
  const path = plainText(vscode.workspace.asRelativePath(uri));
  const item = controller.createTestItem(uri.toString(), path, uri);
  // The check of a task covers the whole file.
  item.canResolveChildren = !isSpec({ uri }) && taskOf(uri) === undefined;
  return item;
}

async function findKernels(
  controller: vscode.TestController,
  file: vscode.TestItem,
): Promise<void> {
  if (file.uri === undefined || !file.canResolveChildren) return;
  try {
    const document = await vscode.workspace.openTextDocument(file.uri);
    const sites = isTooLong(document) ? [] : kernelSites(document.getText());
    file.error = isTooLong(document) ? tooLongText(document) : undefined;
    file.children.replace(
      sites.map(({ entry, line }) => {
        const item = controller.createTestItem(`${file.id}#${entry}`, entry, file.uri);
        item.range = new vscode.Range(line, 0, line, 0);
        return item;
      }),
    );
  } catch (error) {
    file.error = error instanceof Error ? error.message : String(error);
  }
}

function watchFiles(controller: vscode.TestController): readonly vscode.Disposable[] {
  return [SPEC_GLOB, KERNEL_GLOB, LOOPS_GLOB].flatMap(glob => {
    const watcher = vscode.workspace.createFileSystemWatcher(glob);
    watcher.onDidCreate(uri => {
      if (controller.items.size < MAX_LISTED) controller.items.add(fileItem(controller, uri));
    });
    watcher.onDidDelete(uri => {
      controller.items.delete(uri.toString());
    });
    watcher.onDidChange(uri => {
      const item = controller.items.get(uri.toString());
      if (item === undefined) return;
      controller.invalidateTestResults(item);
      if (item.children.size > 0) void findKernels(controller, item);
    });
    return [watcher];
  });
}

type RunnerParts = RunParts & Pick<TestParts, 'checkTask'>;

async function runTests(
  controller: vscode.TestController,
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
  parts: RunnerParts,
): Promise<void> {
  const run = controller.createTestRun(request);
  const excluded = new Set(request.exclude?.map(({ id }) => id));
  const items = request.include ?? [...controller.items].map(([, item]) => item);
  try {
    for (const item of items) {
      for (const leaf of await leavesOf(controller, item)) {
        if (excluded.has(leaf.id) || excluded.has(leaf.parent?.id ?? '')) continue;
        if (token.isCancellationRequested) run.skipped(leaf);
        else await runOne(run, leaf, token, parts);
      }
    }
  } finally {
    run.end();
  }
}

async function leavesOf(
  controller: vscode.TestController,
  item: vscode.TestItem,
): Promise<readonly vscode.TestItem[]> {
  if (item.canResolveChildren && item.children.size === 0) await findKernels(controller, item);
  return item.children.size === 0 ? [item] : [...item.children].map(([, child]) => child);
}

async function runOne(
  run: vscode.TestRun,
  item: vscode.TestItem,
  token: vscode.CancellationToken,
  parts: RunnerParts,
): Promise<void> {
  const { uri } = item;
  if (uri === undefined) return;
  const appendOutput = (text: string): void => {
    run.appendOutput(terminalText(text), undefined, item);
  };
  const controller = new AbortController();
  const subscription = token.onCancellationRequested(() => {
    controller.abort();
  });
  run.started(item);
  const began = Date.now();
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const checked = await parts.checkTask(document, controller.signal);
    if (checked !== undefined) {
      endTask(run, item, checked, Date.now() - began);
      return;
    }
    const entry = isSpec(document) ? undefined : item.label;
    const chosen = await selectRunnable(document, entry, 'verify', undefined, parts.toolChain);
    if ('why' in chosen) {
      run.errored(item, messageAt(item, chosen.why));
      return;
    }
    appendOutput(t('{0} on {1}', nameOf(document), backendName(chosen.backend)));
    const report = (progress: Parameters<typeof progressText>[0]): void => {
      appendOutput(progressText(progress));
    };
    const watcher = { signal: controller.signal, report, mayReplace: true };
    const measurement = await runChosen(chosen, 'verify', uri, parts, watcher);
    for (const [name, value] of factsOf(measurement, [])) appendOutput(`${name}: ${value}`);
    end(run, item, measurement, Date.now() - began);
  } catch (error) {
    run.errored(item, messageAt(item, error instanceof Error ? error.message : String(error)));
  } finally {
    subscription.dispose();
  }
}

function endTask(
  run: vscode.TestRun,
  item: vscode.TestItem,
  { status, message, detail, line = 1 }: TaskCheck,
  durationMs: number,
): void {
  if (status === 'passed') {
    run.passed(item, durationMs);
    return;
  }
  const found = messageAt(item, [message, ...detail].join('\n'));
  if (item.uri !== undefined)
    found.location = new vscode.Location(item.uri, new vscode.Position(line - 1, 0));
  if (status === 'failed') run.failed(item, found, durationMs);
  else run.errored(item, found, durationMs);
}

function end(
  run: vscode.TestRun,
  item: vscode.TestItem,
  measurement: Measurement,
  durationMs: number,
): void {
  const { outcome, message, backend } = measurement;
  if (outcome === 'correct') run.passed(item, durationMs);
  else if (outcome === 'cancelled' || outcome === 'unavailable') run.skipped(item);
  else {
    const what = `${outcomeText(outcome)} (${backendName(backend)})`;
    const why = [what, message, mismatchText(measurement)].filter(text => text !== undefined);
    const testMessage = messageAt(item, why.join('\n'));
    const { first } = measurement.verification;
    if (first !== undefined) {
      testMessage.expectedOutput = `${first.expected} ± ${first.bound}`;
      testMessage.actualOutput = String(first.actual);
    }
    if (outcome === 'incorrect') run.failed(item, testMessage, durationMs);
    else run.errored(item, testMessage, durationMs);
  }
  if (outcome === 'unavailable' && message !== undefined) {
    run.appendOutput(terminalText(message), undefined, item);
  }
}

/** Returns the first mismatch and the number of incorrect elements; undefined if there are none. */
function mismatchText({ verification }: Measurement): string | undefined {
  const { first, mismatches, samples } = verification;
  const count =
    mismatches === 0
      ? undefined
      : t('{0} of {1} checked elements are incorrect.', mismatches, samples);
  if (first === undefined) return count;
  const { row, column, actual, expected, bound } = first;
  const got = actual === null ? t('not finite') : String(actual);
  const where = t('C({0}, {1}): expected {3} ± {4}, got {2}.', row, column, got, expected, bound);
  return `${where} ${count ?? ''}`;
}

function messageAt(item: vscode.TestItem, text: string): vscode.TestMessage {
  const message = new vscode.TestMessage(text);
  const range = item.range ?? new vscode.Range(0, 0, 0, 0);
  if (item.uri !== undefined) message.location = new vscode.Location(item.uri, range);
  return message;
}
