/** The measurements of this workspace: `.gemm/runs/*.jsonl`, and what was measured since VS Code opened it. */
import * as vscode from 'vscode';
import type { Measurement } from '../core/measure/measurement';
import { appendRun, readRuns } from '../host/runs';

export class RunStore implements vscode.Disposable {
  private runs: readonly Measurement[] = [];
  /** Made since then where nothing could be written. */
  private unsaved: readonly Measurement[] = [];
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly watcher = vscode.workspace.createFileSystemWatcher('**/.gemm/runs/*.jsonl');
  readonly onDidChange = this.changed.event;

  constructor(private readonly log: vscode.LogOutputChannel) {
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
    const read = await Promise.all(localFolders().map(({ uri }) => readRuns(uri.fsPath)));
    this.runs = read.flatMap(({ measurements }) => measurements);
    this.changed.fire();
  }

  /** Keeps a measurement; a trusted workspace keeps it in its files. */
  async add(measurement: Measurement, folder: vscode.WorkspaceFolder | undefined): Promise<void> {
    if (folder?.uri.scheme === 'file' && vscode.workspace.isTrusted) {
      const result = await appendRun(folder.uri.fsPath, measurement.specKey, measurement);
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

const localFolders = (): readonly vscode.WorkspaceFolder[] =>
  (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
