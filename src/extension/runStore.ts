/**
 * The measurements of this workspace: `.gemm/runs/*.jsonl`, followed as other windows and git change them, and
 * what was measured since VS Code opened it where nothing could be written.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { decodeHistory, inOrder, RUNS_PATH, type RunLine } from '../core/measure/history';
import { removeLines, restoreLines } from '../core/measure/historyEdit';
import type { Measurement } from '../core/measure/measurement';
import type { WorkspaceFiles } from './abilities';

export interface StoredRun extends RunLine {
  /** Absent for a run that could not be written. */
  readonly folder?: vscode.Uri;
}

/** What of the history is not shown, and why. */
export interface Unreadable {
  readonly uri: vscode.Uri;
  /** Line, from 1; absent where the whole file was not read. */
  readonly line?: number;
  readonly why: string;
}

/** Files made together with their folder may be reported as the folder alone, before they are there. */
const HISTORY_GLOB = '{**/.gemm,**/.gemm/runs,**/.gemm/runs/*.jsonl}';
/** How long a new folder, or a last line without its end, is waited for; and how often the line. */
const SETTLED_MS = 500;
const MOST_WAITS = 4;

export class RunStore implements vscode.Disposable {
  private kept: readonly StoredRun[] = [];
  private unkept: readonly StoredRun[] = [];
  private damaged: readonly Unreadable[] = [];
  private known = new Map<string, Measurement>();
  private loading: Promise<void> | undefined;
  private stale = false;
  private waits = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly files: WorkspaceFiles,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const watcher = vscode.workspace.createFileSystemWatcher(HISTORY_GLOB);
    const reload = () => void this.load();
    const reloadWhenSettled = (): void => {
      reload();
      this.loadLater();
    };
    const { onDidChange, onDidCreate, onDidDelete } = watcher;
    this.subscriptions = [
      watcher,
      ...[onDidChange, onDidDelete].map(event => event(reload)),
      onDidCreate(reloadWhenSettled),
      // Network folders and some remote ones report no changes.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) reload();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(reload),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  /** The newest last. */
  all(): readonly Measurement[] {
    return this.runs().map(({ measurement }) => measurement);
  }

  runs(): readonly StoredRun[] {
    return inOrder([...this.kept, ...this.unkept]);
  }

  unreadable(): readonly Unreadable[] {
    return this.damaged;
  }

  /** Reads the files; what changes meanwhile is read after. */
  load(): Promise<void> {
    this.stale = true;
    this.loading ??= this.read().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  /** Keeps a measurement, with the time; a trusted workspace keeps it in its files. */
  async add(made: Measurement, folder: vscode.WorkspaceFolder | undefined): Promise<void> {
    const measurement = { ...made, at: new Date().toISOString() };
    if (folder !== undefined && vscode.workspace.isTrusted) {
      const result = await this.files.appendRun(folder.uri, measurement.specKey, measurement);
      if ('written' in result) {
        await this.load();
        return;
      }
      this.log.warn(result.failed);
      void vscode.window.showWarningMessage(t('The run was not kept: {0}', result.failed));
    }
    const line = JSON.stringify(measurement);
    this.unkept = [...this.unkept, { line, files: [], measurement }];
    this.changed.fire();
  }

  /** Removes these runs and nothing else; the answer takes them back. */
  async remove(runs: readonly StoredRun[]): Promise<() => Promise<void>> {
    const unkept = this.unkept.filter(run => runs.includes(run));
    this.unkept = this.unkept.filter(run => !runs.includes(run));
    const undo: (() => Promise<void>)[] = [];
    for (const [uri, { folder, name, lines }] of byFile(runs)) {
      let before = new Uint8Array();
      let after = new Uint8Array();
      const removed = await this.rewrite(folder, name, bytes => {
        before = new Uint8Array(bytes);
        after = new Uint8Array(removeLines(bytes, lines));
        return after;
      });
      if (!removed) continue;
      this.log.info(`${lines.length} runs removed from ${uri}`);
      undo.push(async () => {
        await this.rewrite(folder, name, restoreLines(before, after, lines));
      });
    }
    await this.load();
    return async () => {
      this.unkept = [...this.unkept, ...unkept];
      for (const takeBack of undo) await takeBack();
      await this.load();
    };
  }

  private async rewrite(
    folder: vscode.Uri,
    name: string,
    change: (bytes: Uint8Array) => Uint8Array,
  ): Promise<boolean> {
    const result = await this.files.rewriteRuns(folder, name, change);
    if ('written' in result) return true;
    this.log.warn(result.failed);
    void vscode.window.showErrorMessage(result.failed);
    return false;
  }

  private async read(): Promise<void> {
    while (this.stale) {
      this.stale = false;
      const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
      const read = await Promise.all(
        folders.map(async folder => {
          const files = await this.files.readRuns(folder);
          return { folder, files, ...decodeHistory(files, this.known) };
        }),
      );
      this.kept = read.flatMap(({ folder, runs }) => runs.map(run => ({ ...run, folder })));
      this.known = new Map(this.kept.map(({ line, measurement }) => [line, measurement]));
      const waiting = read.some(({ damaged }) => damaged.some(({ unfinished }) => unfinished));
      this.waits = waiting ? this.waits + 1 : 0;
      const waits = waiting && this.waits <= MOST_WAITS;
      if (waits) this.loadLater();
      this.damaged = read.flatMap(({ folder, files, damaged }) => [
        ...files.flatMap(({ name, unread }) =>
          unread === undefined ? [] : [{ uri: fileUri(folder, name), why: unread }],
        ),
        ...damaged
          .filter(({ unfinished }) => !(unfinished && waits))
          .map(({ file, number, unfinished }) => ({
            ...{ uri: fileUri(folder, file), line: number },
            why: unfinished ? t('the line is cut off') : t('the line is no measurement'),
          })),
      ]);
    }
    this.changed.fire();
  }

  private loadLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), SETTLED_MS);
  }
}

const fileUri = (folder: vscode.Uri, name: string): vscode.Uri =>
  vscode.Uri.joinPath(folder, ...RUNS_PATH, name);

interface FileLines {
  readonly folder: vscode.Uri;
  readonly name: string;
  readonly lines: string[];
}

function byFile(runs: readonly StoredRun[]): ReadonlyMap<string, FileLines> {
  const found = new Map<string, FileLines>();
  for (const { folder, files, line } of runs) {
    if (folder === undefined) continue;
    for (const name of files) {
      const key = fileUri(folder, name).toString();
      const file = found.get(key) ?? { folder, name, lines: [] };
      file.lines.push(line);
      found.set(key, file);
    }
  }
  return found;
}
