/** The measurements of this workspace: `.gemm/runs/*.jsonl`, and what was measured since VS Code opened it. */
import * as vscode from 'vscode';
import type { Measurement } from '../core/measure/measurement';
import type { WorkspaceFiles } from './abilities';

export class RunStore implements vscode.Disposable {
  private runs: readonly Measurement[] = [];
  /** Made since then where nothing could be written. */
  private unsaved: readonly Measurement[] = [];
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly watcher = vscode.workspace.createFileSystemWatcher('**/.gemm/runs/*.jsonl');
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly files: WorkspaceFiles,
    private readonly log: vscode.LogOutputChannel,
  ) {
    for (const event of [
      this.watcher.onDidChange,
      this.watcher.onDidCreate,
      this.watcher.onDidDelete,
    ]) {
      event(() => void this.load());
    }
  }

  dispose(): void {
    this.watcher.dispose();
    this.changed.dispose();
  }

  /** Those of one kernel newest last. */
  all(): readonly Measurement[] {
    return [...this.runs, ...this.unsaved];
  }

  async load(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const read = await Promise.all(folders.map(({ uri }) => this.files.readRuns(uri)));
    this.runs = read.flatMap(({ measurements }) => measurements);
    this.changed.fire();
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
      void vscode.window.showWarningMessage(`The run was not kept: ${result.failed}`);
    }
    this.unsaved = [...this.unsaved, measurement];
    this.changed.fire();
  }
}
