/**
 * Registers *Run and verify*, *Benchmark*, *Measure ceilings*, and the Runs view with its commands.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Shown } from '../documents/shown';
import type { ExplorerFeature } from '../explorer/register';
import type { History } from '../history/register';
import type { StoredRun } from '../history/runStore';
import { COMMANDS, type CommandId } from '../ids';
import type { Base, Feature, Subscription } from '../shared/base';
import { decodeKernelArgument } from '../../hostValues';
import { commandsOf } from '../shared/commands';
import type { Toolchain } from '../toolchain/register';
import { copyMarkdown, deleteFailed, deleteRuns, openRun, rerun } from './actions';
import { promptRuns, Comparisons } from './compare';
import { createJobQueues, type JobQueue } from './jobQueue';
import { runLadder, type ShowText } from './ladder';
import { measureCeilings } from './measureCeilings';
import { printLayout } from './printLayout';
import { runKernel, runShown, type RunParts } from './runCommands';
import { createJobRunner, type Job } from './runJob';
import { RunsView } from './view';

export interface RunsParts extends Base {
  readonly history: History;
  readonly pages: ExplorerFeature;
  readonly toolchain: Toolchain;
}

export interface Runs extends Feature {
  readonly runParts: RunParts;
  /** Returns the job queue of the GPU or CPU with this name. */
  readonly queueOf: (device: string) => JobQueue;
  /** Runs the shown kernel. Resolves to the reason if no run took place, otherwise null. */
  readonly run: (
    shown: Shown,
    mode: Job['mode'],
    backend: Job['backend'] | undefined,
  ) => Promise<string | null>;
  readonly cancel: (id: string) => void;
  /** Returns the runs in the arguments of a command of the Runs view, or else its selection. */
  readonly chosenRuns: (argument: unknown, all: unknown) => readonly StoredRun[];
  /** Shows a generated text as a Markdown preview beside the active editor. */
  readonly showBeside: ShowText;
}

export function registerRuns(parts: RunsParts): Runs {
  const { abilities, context, guard, log, history, pages, toolchain } = parts;
  const { explorer, browser, shown, adapterRoom } = pages;
  const { toolChain, compiler, hostBackend } = toolchain;
  const { store } = history;
  const queueOf = createJobQueues();
  const inBrowser = (): boolean => browser.page() !== undefined;
  const jobs = createJobRunner({ explorer, queueOf, hostBackend, inBrowser });
  const runParts = { jobs, store, toolChain, compiler, shown, log, browser, adapterRoom };
  const command = commandsOf(parts);
  const comparisons = new Comparisons();
  const view = new RunsView(history.store, context.workspaceState);
  const start = (argument: unknown, mode: Job['mode']): Promise<void> =>
    runKernel(decodeKernelArgument(argument), mode, runParts);
  return {
    runParts,
    queueOf,
    chosenRuns: view.chosen.bind(view),
    run: (current, mode, backend) => runShown(current, mode, backend, runParts),
    cancel: jobs.cancel,
    showBeside: (name, text) => comparisons.showText(name, text, 'markdown.showPreviewToSide'),
    subscriptions: [
      jobs,
      command(COMMANDS.runAndVerify, argument =>
        guard(t('Running a kernel'), () => start(argument, 'verify')),
      ),
      command(COMMANDS.benchmark, argument =>
        guard(t('Benchmarking a kernel'), () => start(argument, 'time')),
      ),
      command(COMMANDS.measureCeilings, () =>
        guard(t('Measuring ceilings'), () => measureCeilings(abilities, toolChain, log)),
      ),
      comparisons,
      ...registerView(parts, { runParts, comparisons, view }),
    ],
  };
}

interface ViewParts {
  readonly runParts: RunParts;
  readonly comparisons: Comparisons;
  readonly view: RunsView;
}

function registerView(
  { guard, failed, pages }: RunsParts,
  { runParts, comparisons, view }: ViewParts,
): readonly Subscription[] {
  const { store } = runParts;
  const { explorer } = pages;
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
    view,
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
      const chosen = runs.length >= 2 ? runs : await promptRuns(store.runs());
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
    register(COMMANDS.groupRunsByAuthor, () => view.groupBy('author')),
    register(COMMANDS.groupRunsByCommit, () => view.groupBy('commit')),
  ];
}
