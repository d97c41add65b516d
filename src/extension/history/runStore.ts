/**
 * Measurements of this workspace, stored in `.gemm/runs/*.jsonl`. The store follows changes by
 * other windows and git, and also holds runs of this window that could not be written.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { withAdapterCeilings } from '../../core/measure/ceilings';
import {
  inOrder,
  RUNS_PATH,
  runsFileName,
  type DamagedLine,
  type RunLine,
} from '../../core/measure/history';
import {
  deletionLine,
  MAX_LINE_CHARACTERS,
  restoredLine,
  runLine,
} from '../../core/measure/historyLine';
import { createHistoryReader, type FolderHistory } from '../../core/measure/historyReader';
import type { Measurement } from '../../core/measure/measurement';
import { nextOrder } from '../../core/measure/runOrder';
import { conflictMarkerText } from '../../core/text/conflictMarkers';
import type { WorkspaceFiles } from '../abilities';
import { showErrorMessage, showWarningMessage } from '../display/notify';
import { coalesced } from '../shared/coalesced';
import { HOST_SLICES } from '../shared/slices';

export interface StoredRun extends RunLine {
  /**
   * Workspace folder with the history that contains the run; absent for a run that was not written.
   */
  readonly folder?: vscode.Uri;
}

export interface Unreadable {
  readonly uri: vscode.Uri;
  /** One-based line; absent if the whole file or folder is unreadable. */
  readonly line?: number;
  readonly why: string;
}

/** Matches folders too. A watcher may report only a new folder, before the files in it exist. */
const HISTORY_GLOB = '{**/.gemm,**/.gemm/runs,**/.gemm/runs/*.jsonl}';
/** Delay in milliseconds before a new folder or an unterminated last line is read again. */
const SETTLED_MS = 500;
const MAX_WAITS = 4;

export class RunStore implements vscode.Disposable {
  private kept: readonly StoredRun[] = [];
  /**
   * Runs of this window that are missing from `kept`, because they were not written or not read
   * back.
   */
  private unkept: readonly StoredRun[] = [];
  private ordered: readonly StoredRun[] = [];
  private notShown: readonly Unreadable[] = [];
  private reader: ReturnType<typeof createHistoryReader> | undefined;
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
      // Network folders and some remote file systems report no changes, so reload on focus.
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

  /** Returns the runs sorted by time, newest last. */
  all(): readonly Measurement[] {
    return this.ordered.map(({ measurement }) => measurement);
  }

  /** Returns the stored runs sorted by time, newest last, with one set of ceilings per adapter. */
  runs(): readonly StoredRun[] {
    return this.ordered;
  }

  unreadable(): readonly Unreadable[] {
    return this.notShown;
  }

  /** Reads the history files. A call during a read triggers another read. */
  readonly load = coalesced(() => this.read());

  /**
   * Adds a measurement with the current time, its order and its origin. In a trusted workspace,
   * also writes it to a history file of `folder`.
   */
  async add(made: Measurement, folder: vscode.WorkspaceFolder | undefined): Promise<void> {
    const now = new Date();
    const writable = folder !== undefined && vscode.workspace.isTrusted;
    const origin = writable ? await this.files.runOrigin?.(folder.uri) : undefined;
    const order = nextOrder(this.all(), now.getTime());
    const measurement = { ...made, at: now.toISOString(), origin: { ...origin, order } };
    const id = crypto.randomUUID();
    const run = { id, line: runLine(id, measurement), files: [], measurement };
    const written = writable ? await this.write(run, folder.uri) : undefined;
    this.unkept = [...this.unkept, written ?? run];
    this.settle();
    if (written !== undefined) void this.load();
  }

  /** Writes a run. Shows a warning and returns undefined if this fails. */
  private async write(run: StoredRun, folder: vscode.Uri): Promise<StoredRun | undefined> {
    const name = runsFileName(run.measurement.specKey);
    const characters = run.line.length;
    const result =
      characters > MAX_LINE_CHARACTERS
        ? {
            failed: t(
              'its line has {0} characters, which exceeds the limit of the reader.',
              characters,
            ),
          }
        : await this.files.appendLines(folder, name, [run.line]);
    if ('written' in result) return { ...run, folder, files: [name] };
    this.log.warn(result.failed);
    void showWarningMessage(t('The run was not saved: {0}', result.failed));
    return undefined;
  }

  /**
   * Deletes the runs: appends deletion lines to their files, and drops runs that were not written.
   * The returned function restores the runs; those in files get new IDs.
   */
  async remove(runs: readonly StoredRun[]): Promise<() => Promise<void>> {
    const removed = new Set(runs.map(({ id }) => id));
    const forgotten = this.unkept.filter(
      ({ id, folder }) => removed.has(id) && folder === undefined,
    );
    this.unkept = this.unkept.filter(({ id }) => !removed.has(id));
    this.settle();
    const restored = new Map<string, StoredRun>();
    for (const { folder, name, runs: deleted } of byFile(runs)) {
      const ids = new Set(deleted.map(({ id }) => id));
      if (!(await this.append(folder, name, [...ids].map(deletionLine)))) continue;
      this.log.info(`Runs deleted from ${fileUri(folder, name).toString()}: ${deleted.length}`);
      for (const run of deleted) {
        if (!restored.has(run.line)) restored.set(run.line, { ...run, files: [name] });
      }
    }
    await this.load();
    return async () => {
      this.unkept = [...this.unkept, ...forgotten];
      for (const { folder, name, runs: deleted } of byFile([...restored.values()])) {
        const lines = deleted.map(run => restoredLine(crypto.randomUUID(), run));
        await this.append(folder, name, lines);
      }
      await this.load();
    };
  }

  private async append(
    folder: vscode.Uri,
    name: string,
    lines: readonly string[],
  ): Promise<boolean> {
    const result = await this.files.appendLines(folder, name, lines);
    if ('written' in result) return true;
    this.log.warn(result.failed);
    void showErrorMessage(result.failed);
    return false;
  }

  private async read(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    const listed = await Promise.all(
      folders.map(async uri => [uri.toString(), await this.files.listRuns(uri)] as const),
    );
    this.reader ??= createHistoryReader(HOST_SLICES);
    const histories = await this.reader.read(new Map(listed));
    const read = folders.flatMap(folder => {
      const history = histories.get(folder.toString());
      return history === undefined ? [] : [{ folder, history }];
    });
    this.kept = read.flatMap(({ folder, history }) =>
      history.runs.map(run => ({ ...run, folder })),
    );
    const lines = new Set(this.kept.map(({ line }) => line));
    this.unkept = this.unkept.filter(({ line }) => !lines.has(line));
    const waiting = read.some(({ history }) =>
      history.damaged.some(({ unfinished }) => unfinished),
    );
    this.waits = waiting ? this.waits + 1 : 0;
    const waits = waiting && this.waits <= MAX_WAITS;
    if (waits) this.loadLater();
    this.notShown = read.flatMap(({ folder, history }) => notShownOf(folder, history, waits));
    for (const { uri, line, why } of this.notShown) {
      if (line === undefined) this.log.warn(`${uri.path}: ${why}`);
    }
    this.settle();
  }

  private settle(): void {
    const runs = inOrder([...this.kept, ...this.unkept]);
    const withCeilings = withAdapterCeilings(runs.map(({ measurement }) => measurement));
    this.ordered = runs.map((run, index) => {
      const { [index]: measurement = run.measurement } = withCeilings;
      return measurement === run.measurement ? run : { ...run, measurement };
    });
    this.changed.fire();
  }

  private loadLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), SETTLED_MS);
  }
}

const fileUri = (folder: vscode.Uri, name: string): vscode.Uri =>
  vscode.Uri.joinPath(folder, ...RUNS_PATH, name);

/** @param waits true if an unterminated last line will be read again */
const notShownOf = (
  folder: vscode.Uri,
  { unread, damaged }: FolderHistory,
  waits: boolean,
): readonly Unreadable[] => [
  ...unread.map(({ name, why }) => ({ uri: fileUri(folder, name), why })),
  ...damaged
    .filter(({ unfinished }) => !(unfinished && waits))
    .map(line => ({ uri: fileUri(folder, line.file), line: line.number, why: whyDamaged(line) })),
];

function whyDamaged({ unfinished, reason }: DamagedLine): string {
  if (reason === 'conflict-marker') return conflictMarkerText();
  if (reason === 'same-id')
    return t('the line has the id of another run, but a different content; it is not used');
  return unfinished ? t('the line is truncated') : t('the line is not a measurement');
}

interface FileRuns {
  readonly folder: vscode.Uri;
  readonly name: string;
  readonly runs: StoredRun[];
}

function byFile(runs: readonly StoredRun[]): Iterable<FileRuns> {
  const found = new Map<string, FileRuns>();
  for (const run of runs) {
    const { folder, files } = run;
    if (folder === undefined) continue;
    for (const name of files) {
      const key = fileUri(folder, name).toString();
      const file = found.get(key) ?? { folder, name, runs: [] };
      file.runs.push(run);
      found.set(key, file);
    }
  }
  return found.values();
}
