/** Workbench features outside editors: status bar, tasks, Test Explorer, walkthrough. */
import * as vscode from 'vscode';
import type { Course } from '../course/register';
import type { ExplorerFeature } from '../explorer/register';
import { COMMANDS, WALKTHROUGH } from '../ids';
import type { Runs } from '../runs/register';
import type { Base, Feature } from '../shared/base';
import { showActions, StatusBar } from './statusBar';
import { registerTasks } from './tasks';
import { registerTests } from './tests';

export interface WorkbenchParts extends Base {
  readonly course: Course;
  readonly pages: ExplorerFeature;
  readonly runs: Runs;
}

export function registerWorkbench({
  context,
  course,
  guard,
  pages,
  runs,
}: WorkbenchParts): Feature {
  const { explorer } = pages;
  const { runParts } = runs;
  const { jobs, toolChain, store, shown } = runParts;
  const status = new StatusBar({
    jobs,
    toolChain,
    shown,
    onDidChangeRuns: store.onDidChange,
    runs: () => store.all(),
    followed: () => explorer.followed(),
  });
  return {
    subscriptions: [
      status,
      registerTasks(runParts),
      registerTests({ runParts, guard, checkTask: course.check }),
      vscode.commands.registerCommand(COMMANDS.showActions, () =>
        showActions(status.isRunning(), jobs.cancelAll),
      ),
      vscode.commands.registerCommand(COMMANDS.openWalkthrough, () =>
        vscode.commands.executeCommand(
          'workbench.action.openWalkthrough',
          `${context.extension.id}#${WALKTHROUGH}`,
          false,
        ),
      ),
    ],
  };
}
