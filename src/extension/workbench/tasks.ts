/**
 * Task provider `gemm`: compiles, verifies and benchmarks the kernels of the workspace. It provides
 * no tasks in Restricted Mode.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { archOf } from '../../core/hardware/computeCapability';
import { deviceNamed } from '../../core/kernel/kernel';
import { findDevice } from '../../core/hardware/devices';
import { plainText } from '../../core/text/plainText';
import { backendName } from '../../core/measure/backendName';
import type { Outcome } from '../../core/measure/measurement';
import { decodeTaskDefinition, type TaskDefinition } from '../../hostValues';
import { TASK_TYPE } from '../ids';
import { isKernel, isSpec, kernelOf } from '../documents/kernelDocument';
import type { RunParts } from '../runs/runCommands';
import { progressText } from '../runs/runJob';
import { selectRunnable, runChosen } from '../runs/runnables';
import { factsOf, outcomeText } from '../runs/runText';
import { settings } from '../shared/settings';
import { createTerminal, type ExitCode, type Terminal } from './terminal';
import { kernelUris } from './workspaceKernels';

/** Maximum number of files with tasks; tasks.json can name any other file. */
const MAX_FILES = 100;

export function registerTasks(parts: RunParts): vscode.Disposable {
  return vscode.tasks.registerTaskProvider(TASK_TYPE, {
    provideTasks: () => (vscode.workspace.isTrusted ? offered(parts) : []),
    resolveTask: task => {
      const definition = decodeTaskDefinition(task.definition);
      const { scope } = task;
      if (!vscode.workspace.isTrusted || definition === undefined || !isFolder(scope))
        return undefined;
      // VS Code requires that the resolved task has the same definition object.
      return makeTask(task.definition, definition, scope, parts);
    },
  });
}

const isFolder = (scope: vscode.Task['scope']): scope is vscode.WorkspaceFolder =>
  typeof scope === 'object';

async function offered(parts: RunParts): Promise<vscode.Task[]> {
  const tasks: vscode.Task[] = [];
  for (const uri of await kernelUris(MAX_FILES)) {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder === undefined) continue;
    const file = vscode.workspace.asRelativePath(uri, false);
    const isCuda = /\.cuh?$/i.test(uri.path);
    for (const action of ['verify', 'benchmark', ...(isCuda ? ['compile'] : [])] as const) {
      const definition: TaskDefinition = { type: TASK_TYPE, action: actionOf(action), file };
      tasks.push(makeTask(definition, definition, folder, parts));
    }
  }
  return tasks;
}

const actionOf = (text: string): TaskDefinition['action'] =>
  text === 'compile' || text === 'benchmark' ? text : 'verify';

function makeTask(
  given: vscode.TaskDefinition,
  definition: TaskDefinition,
  folder: vscode.WorkspaceFolder,
  parts: RunParts,
): vscode.Task {
  const { action, file } = definition;
  const task = new vscode.Task(
    given,
    folder,
    plainText(`${action} ${file}`),
    TASK_TYPE,
    new vscode.CustomExecution(() =>
      Promise.resolve(createTerminal(terminal => perform(definition, folder, parts, terminal))),
    ),
    action === 'compile' ? '$gemm-nvcc' : [],
  );
  task.group = action === 'compile' ? vscode.TaskGroup.Build : vscode.TaskGroup.Test;
  task.detail = detailOf(action);
  return task;
}

function detailOf(action: TaskDefinition['action']): string {
  switch (action) {
    case 'compile':
      return t('Compile with nvcc and show diagnostics in the Problems view');
    case 'verify':
      return t('Run the kernel and compare its result with the reference');
    case 'benchmark':
      return t('Verify the kernel, then time it');
  }
}

async function perform(
  { action, file, backend }: TaskDefinition,
  folder: vscode.WorkspaceFolder,
  parts: RunParts,
  terminal: Terminal,
): Promise<ExitCode> {
  const { print, signal } = terminal;
  const uri = vscode.Uri.joinPath(folder.uri, file);
  const inside = uri.path.startsWith(`${folder.uri.path.replace(/\/$/, '')}/`);
  if (!vscode.workspace.isTrusted || !inside) {
    print(t("'{0}' is outside the workspace folder. Fix: name a file inside it.", file));
    return 2;
  }
  const document = await Promise.resolve(vscode.workspace.openTextDocument(uri)).catch(
    () => undefined,
  );
  if (document === undefined || !(isKernel(document) || isSpec(document))) {
    print(
      t(
        "'{0}' is not a kernel or spec of this workspace. Fix: name a .cu, .cuh, .wgsl or *.gemm.json file.",
        file,
      ),
    );
    return 2;
  }
  if (action === 'compile') return await compile(document, parts, terminal);
  const mode = action === 'benchmark' ? 'time' : 'verify';
  const chosen = await selectRunnable(document, undefined, mode, backend, parts.toolChain);
  if ('why' in chosen) {
    print(chosen.why);
    return 3;
  }
  print(t('{0}: {1} on {2}', file, action, backendName(chosen.backend)));
  const report = (progress: Parameters<typeof progressText>[0]): void => {
    print(progressText(progress));
  };
  const watcher = { signal, report, mayReplace: backend === undefined };
  const measurement = await runChosen(chosen, mode, uri, parts, watcher);
  const { outcome, message } = measurement;
  print('');
  print(`${outcomeText(outcome)}${message === undefined ? '' : `: ${message}`}`);
  for (const [name, value] of factsOf(measurement, [])) print(`  ${name}: ${value}`);
  return exitCodeOf(outcome);
}

function exitCodeOf(outcome: Outcome): ExitCode {
  if (outcome === 'correct') return 0;
  if (outcome === 'cancelled') return 130;
  return outcome === 'unavailable' || outcome === 'constraint' ? 3 : 1;
}

async function compile(
  document: vscode.TextDocument,
  { toolChain }: RunParts,
  { print, signal }: Terminal,
): Promise<ExitCode> {
  const found = await toolChain.nvcc();
  if (!found.ok) {
    print(`${found.why} ${found.next}`);
    return 3;
  }
  const file = isKernel(document) ? kernelOf(document) : undefined;
  const named = file?.ok === true ? deviceNamed(file.runnable) : undefined;
  const device = findDevice(named ?? settings.device());
  if (file === undefined || device?.computeCapability === undefined) {
    print(
      t(
        'nvcc compiles only CUDA kernels (.cu, .cuh) for NVIDIA devices. Selected device: {0}.',
        device?.name ?? '–',
      ),
    );
    return 2;
  }
  const arch = archOf(device.computeCapability);
  print(t('nvcc {0}, {1}: {2}', found.compiler.build, arch, document.uri.fsPath));
  const options = { arch, signal, timeoutMs: settings.compileTimeoutMs() };
  const result = await found.compiler.compile(document.getText(), options);
  for (const { line, column, severity, message } of result.diagnostics) {
    print(`${document.uri.fsPath}(${line + 1},${column + 1}): ${severity}: ${message}`);
  }
  if (!result.ok) {
    print(result.message);
    return result.outcome === 'compile-error' ? 1 : exitCodeOf(result.outcome);
  }
  for (const { entry, registers, sharedBytes, spillStores, spillLoads } of result.kernels) {
    const spills = spillStores + spillLoads;
    print(
      t(
        '{0}: {1} registers per thread, {2} B static shared memory, {3} B spill stores and loads',
        entry,
        registers,
        sharedBytes,
        spills,
      ),
    );
  }
  for (const why of result.unread) print(why);
  return 0;
}
