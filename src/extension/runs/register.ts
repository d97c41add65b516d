/** The Runs view and its commands. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Explorer } from '../explorer/explorer';
import { COMMANDS, type CommandId } from '../ids';
import { runLadder } from './ladder';
import { printLayout } from './printLayout';
import type { RunParts } from './runCommands';
import type { StoredRun } from '../history/runStore';
import type { Guard } from '../trust/guard';
import { copyMarkdown, deleteFailed, deleteRuns, openRun, rerun } from './actions';
import { askRuns, Comparisons } from './compare';
import { RunsView } from './view';

export interface RunsParts {
  readonly runParts: RunParts;
  readonly explorer: Explorer;
  readonly guard: Guard;
  readonly memory: vscode.Memento;
  /** Says what a command could not do. */
  readonly failed: (error: unknown) => void;
}

export function registerRuns(parts: RunsParts): readonly vscode.Disposable[] {
  const { runParts, explorer, guard, failed } = parts;
  const { store } = runParts;
  const view = new RunsView(store, parts.memory);
  const comparisons = new Comparisons();
  const register = (
    id: CommandId,
    act: (chosen: readonly StoredRun[], called: boolean) => unknown,
  ) =>
    vscode.commands.registerCommand(id, async (argument: unknown, all: unknown) => {
      try {
        await act(view.chosen(argument, all), argument !== undefined);
      } catch (error) {
        failed(error);
      }
    });
  const guarded = (what: string, act: () => Promise<void>) => guard(what, act);

  const rerunAll = async (runs: readonly StoredRun[]): Promise<void> => {
    for (const run of runs) await rerun(run, runParts);
  };
  return [
    ...[view, comparisons],
    register(COMMANDS.openRun, async ([run], called) => {
      if (!called && view.isGroupSelected()) {
        await vscode.commands.executeCommand('list.toggleExpand');
      } else if (run !== undefined) await openRun(run, explorer);
    }),
    register(COMMANDS.rerun, runs => guarded(t('Running a kernel'), () => rerunAll(runs))),
    register(COMMANDS.deleteRuns, runs =>
      guarded(t('Deleting runs'), () => deleteRuns(runs, store)),
    ),
    register(COMMANDS.deleteFailedRuns, () =>
      guarded(t('Deleting runs'), () => deleteFailed(store)),
    ),
    register(COMMANDS.copyRuns, copyMarkdown),
    register(COMMANDS.compareRuns, async runs => {
      const chosen = runs.length >= 2 ? runs : await askRuns(store.runs());
      if (chosen.length > 0) await comparisons.show(chosen);
    }),
    register(COMMANDS.runLadder, () =>
      guarded(t('Running the ladder'), () =>
        runLadder(runParts, (name, text) => comparisons.showText(name, text)),
      ),
    ),
    register(COMMANDS.printLayout, () =>
      printLayout((name, text) => comparisons.showText(name, text)),
    ),
    register(COMMANDS.refreshRuns, () => store.load()),
    register(COMMANDS.filterRuns, () => view.askFilter()),
    register(COMMANDS.clearRunsFilter, () => {
      view.clearFilter();
    }),
    register(COMMANDS.groupRunsByProblem, () => view.groupBy('problem')),
    register(COMMANDS.groupRunsByMachine, () => view.groupBy('machine')),
  ];
}
