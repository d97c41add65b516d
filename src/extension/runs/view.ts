/** Runs view: the run history as a tree with groups, a filter and a row limit. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { showInputBox } from '../display/picks';
import { RUNS_VIEW } from '../ids';
import { setContext } from '../shared/commands';
import type { RunStore, StoredRun } from '../history/runStore';
import {
  branchesOf,
  foldBranches,
  GROUPS,
  groupRuns,
  MAX_RUNS,
  shownRuns,
  type Branch,
  type GroupBy,
} from './groups';
import { itemOf, type Node } from './nodes';

const GROUP_BY_KEY = 'gemm.runs.groupBy';
const FILTERED_KEY = 'gemm.runs.filtered';
/** Context keys that hide commands without runs to act on. */
const ANY_KEY = 'gemm.runs.any';
const SEVERAL_KEY = 'gemm.runs.several';
const ANY_FAILED_KEY = 'gemm.runs.anyFailed';
/**
 * Maximum number of rows for damaged lines and unreadable files. The unreadable files of a folder
 * are listed first, because each may contain many runs.
 */
const MAX_UNREADABLE = 1000;
/**
 * Delay in milliseconds between the last change of the runs and the update, because series of runs
 * change the files often.
 */
const REFRESH_MS = 100;

export class RunsView implements vscode.Disposable {
  private filter = '';
  private by: GroupBy;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Tree nodes passed to VS Code. Command arguments are accepted only if they are such nodes. */
  private readonly given = new WeakSet<object>();
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(
    private readonly store: RunStore,
    private readonly memory: vscode.Memento,
  ) {
    const stored = memory.get(GROUP_BY_KEY);
    this.by = GROUPS.find(by => by === stored) ?? 'problem';
    this.view = vscode.window.createTreeView<Node>(RUNS_VIEW, {
      treeDataProvider: {
        onDidChangeTreeData: this.changed.event,
        getTreeItem: itemOf,
        getChildren: node => (node === undefined ? this.roots() : this.below(node)),
      },
      canSelectMany: true,
      showCollapseAll: true,
    });
    this.subscriptions = [
      this.view,
      store.onDidChange(() => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
          this.setKeys();
          this.refresh();
        }, REFRESH_MS);
      }),
      // The file watcher may have missed changes by other windows.
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) void store.load();
      }),
    ];
    this.setKeys();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  async groupBy(by: GroupBy): Promise<void> {
    this.by = by;
    this.setKeys();
    this.refresh();
    await this.memory.update(GROUP_BY_KEY, by);
  }

  /** Filters the tree while the user types. Escape restores the previous filter. */
  async askFilter(): Promise<void> {
    const before = this.filter;
    const set = (text: string): void => {
      this.filter = text;
      this.setKeys();
      this.refresh();
    };
    const typed = await showInputBox({
      title: t('GEMM: filter runs'),
      value: before,
      prompt: t('Filter runs by kernel, size, machine, author, commit, backend or outcome'),
      validateInput: text => {
        set(text);
        return undefined;
      },
    });
    set(typed ?? before);
  }

  clearFilter(): void {
    this.filter = '';
    this.setKeys();
    this.refresh();
  }

  /** Returns the runs in the arguments of a command, or else the selected runs. */
  chosen(argument: unknown, all: unknown): readonly StoredRun[] {
    const called = Array.isArray(all) && all.length > 0 ? all : [argument];
    const nodes = called.filter(value => this.isOurs(value));
    const runs = (nodes.length > 0 ? nodes : this.view.selection).flatMap(runsOf);
    return [...new Map(runs.map(run => [run.line, run])).values()];
  }

  /**
   * Returns whether the first selected row is a group or another row that is not a run. Enter
   * expands and collapses these rows.
   */
  isGroupSelected(): boolean {
    const [node] = this.view.selection;
    return node !== undefined && node.kind !== 'run';
  }

  private isOurs(value: unknown): value is Node {
    return typeof value === 'object' && value !== null && this.given.has(value);
  }

  private setKeys(): void {
    const runs = this.store.runs();
    setContext(GROUP_BY_KEY, this.by);
    setContext(FILTERED_KEY, this.filter.trim() !== '');
    setContext(ANY_KEY, runs.length > 0);
    setContext(SEVERAL_KEY, runs.length > 1);
    setContext(
      ANY_FAILED_KEY,
      runs.some(({ measurement: { outcome } }) => outcome !== 'correct'),
    );
  }

  private roots(): Node[] {
    const all = this.store.runs();
    const { runs, matching } = shownRuns(all, this.filter);
    this.say(all.length, matching);
    const unreadable = this.store.unreadable();
    return this.give([
      ...groupRuns(runs, this.by).map(group => ({ kind: 'group', group, by: this.by }) as const),
      ...(unreadable.length === 0 ? [] : [{ kind: 'unreadable', lines: unreadable } as const]),
    ]);
  }

  private below(node: Node): Node[] {
    if (node.kind === 'group') {
      const { group, by } = node;
      return this.give(branchesOf(group.runs).map(row => nodeOf(row, by, group.name)));
    }
    if (node.kind === 'fold') {
      const { fold, by, parent } = node;
      const path = `${parent} ${fold.id}`;
      return this.give(foldBranches(fold).map(row => nodeOf(row, by, path)));
    }
    if (node.kind !== 'unreadable') return [];
    return node.lines.slice(0, MAX_UNREADABLE).map(line => ({ kind: 'unreadableLine', line }));
  }

  private give(nodes: Node[]): Node[] {
    for (const node of nodes) this.given.add(node);
    return nodes;
  }

  /**
   * Returns a message about unread files, because their row is at the end of the list; empty if all
   * files were read.
   */
  private filesNotRead(): readonly string[] {
    const files = this.store.unreadable().filter(({ line }) => line === undefined).length;
    if (files === 0) return [];
    return [
      files === 1
        ? t('1 history file is not read; see the last row for the reason.')
        : t('{0} history files are not read; see the last row for the reasons.', files),
    ];
  }

  private say(all: number, matching: number): void {
    const text = this.filter.trim();
    const parts = [
      ...(text === '' ? [] : [t('Filter "{0}": {1} of {2} runs.', text, matching, all)]),
      ...(matching <= MAX_RUNS
        ? []
        : [
            t(
              'Showing the newest {0} of {1} runs. Use the filter to show older runs.',
              MAX_RUNS,
              matching,
            ),
          ]),
      ...this.filesNotRead(),
    ];
    // VS Code hides an empty message.
    this.view.message = parts.join(' ');
  }
}

const nodeOf = (row: Branch<StoredRun>, by: GroupBy, parent: string): Node =>
  'run' in row ? { kind: 'run', run: row.run, by } : { kind: 'fold', fold: row.fold, by, parent };

function runsOf(node: Node): readonly StoredRun[] {
  if (node.kind === 'run') return [node.run];
  if (node.kind === 'fold') return node.fold.runs;
  return node.kind === 'group' ? node.group.runs : [];
}
