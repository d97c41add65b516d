/**
 * The dispatch rows that this workspace adopted, `.gemm/dispatch.json`, followed as they change: a spec without a schedule
 * gets it from those of its folder or the next one above it. Read in every workspace, trusted or not.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { MOST_ROWS_BYTES, parseRows } from '../core/dispatch/row';
import { tablesWith } from '../core/dispatch/shipped';
import type { DispatchTable } from '../core/dispatch/table';
import { withDispatched } from '../core/spec/resolve';
import type { GemmSpec } from '../core/spec/schema';
import { nearestFolder } from './nearestFolder';

/** By the address of the folder that `.gemm` lies in. */
let tables: ReadonlyMap<string, readonly DispatchTable[]> = new Map();

/** The spec with the schedule that its workspace adopted for it, or as it is; `uri` is where it is from. */
export function withAdopted(spec: GemmSpec, uri?: vscode.Uri): GemmSpec {
  const found = spec.schedule === undefined ? adoptedFor(uri) : undefined;
  return found === undefined ? spec : withDispatched(spec, found);
}

/** Tables with the rows adopted for what is here; undefined where there are none. */
export function adoptedFor(uri?: vscode.Uri): readonly DispatchTable[] | undefined {
  const from = uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  if (tables.size === 0 || from === undefined) return undefined;
  const folder = nearestFolder(tables.keys(), `${from.toString()}/`);
  return folder === undefined ? undefined : tables.get(folder);
}

const GLOB = '**/.gemm/dispatch.json';
const MOST_FILES = 100;

export class AdoptedRows implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private loading: Promise<void> = Promise.resolve();
  readonly onDidChange = this.changed.event;

  constructor(private readonly log: vscode.LogOutputChannel) {
    const watcher = vscode.workspace.createFileSystemWatcher(GLOB);
    const reload = () => void this.load();
    const { onDidChange, onDidCreate, onDidDelete } = watcher;
    this.subscriptions = [
      watcher,
      ...[onDidChange, onDidCreate, onDidDelete].map(event => event(reload)),
      vscode.workspace.onDidChangeWorkspaceFolders(reload),
    ];
  }

  dispose(): void {
    tables = new Map();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  /** One after the other: what is read last is what holds. */
  load(): Promise<void> {
    this.loading = this.loading.then(() => this.read());
    return this.loading;
  }

  private async read(): Promise<void> {
    const files = await vscode.workspace.findFiles(GLOB, '**/node_modules/**', MOST_FILES);
    const read = new Map<string, readonly DispatchTable[]>();
    for (const uri of files) {
      const found = await this.readFile(uri);
      const folder = vscode.Uri.joinPath(uri, '..', '..').toString();
      if (found !== undefined) read.set(folder, found);
    }
    if (read.size === 0 && tables.size === 0) return;
    tables = read;
    this.changed.fire();
  }

  /** Undefined of a file that cannot be used, which is said. */
  private async readFile(uri: vscode.Uri): Promise<readonly DispatchTable[] | undefined> {
    try {
      const { fs } = vscode.workspace;
      const { size } = await fs.stat(uri);
      if (size > MOST_ROWS_BYTES) {
        throw new Error(t('it has {0} bytes; up to {1} are read', size, MOST_ROWS_BYTES));
      }
      const decoded = parseRows(new TextDecoder().decode(await fs.readFile(uri)));
      if (decoded.ok) return tablesWith(decoded.rows);
      const [first] = decoded.errors;
      const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
      throw new Error(`${where}${first?.message ?? ''}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const text = t('{0} is not used: {1}', uri.path, why);
      this.log.warn(text);
      void vscode.window.showWarningMessage(text);
      return undefined;
    }
  }
}
