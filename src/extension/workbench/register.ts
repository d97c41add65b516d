/** What of the workbench we fill beside editors: status bar, tasks, Test Explorer, walkthrough. */
import * as vscode from 'vscode';
import type { Explorer } from '../explorer/explorer';
import { COMMANDS, WALKTHROUGH } from '../ids';
import type { RunParts } from '../runs/runCommands';
import type { Guard } from '../trust/guard';
import { showActions, StatusBar } from './statusBar';
import { registerTasks } from './tasks';
import { registerTests } from './tests';

export interface WorkbenchParts {
  readonly runParts: RunParts;
  readonly explorer: Explorer;
  readonly guard: Guard;
  /** Publisher and name, of which the walkthrough is. */
  readonly extensionId: string;
}

export function registerWorkbench(parts: WorkbenchParts): readonly vscode.Disposable[] {
  const { runParts, explorer, guard, extensionId } = parts;
  const { jobs, toolChain, store, shown } = runParts;
  const status = new StatusBar({
    ...{ jobs, toolChain, shown },
    onDidChangeRuns: store.onDidChange,
    runs: () => store.all(),
    followed: () => explorer.followed(),
  });
  return [
    ...[status, registerTasks(runParts), registerTests({ runParts, guard })],
    vscode.commands.registerCommand(COMMANDS.showActions, () =>
      showActions(status.isRunning(), jobs.cancelAll),
    ),
    vscode.commands.registerCommand(COMMANDS.openWalkthrough, () =>
      vscode.commands.executeCommand(
        'workbench.action.openWalkthrough',
        `${extensionId}#${WALKTHROUGH}`,
        false,
      ),
    ),
  ];
}
