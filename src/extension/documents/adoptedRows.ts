/**
 * Dispatch rows that this workspace adopted (`.gemm/dispatch.json`), kept up to date. A spec
 * without a schedule uses the rows of its folder or the nearest parent folder. The rows are also
 * read in Restricted Mode.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { MAX_ROWS_BYTES, rowSteps, type DecodedRows } from '../../core/defaults/dispatch/row';
import { tablesWith } from '../../core/defaults/dispatch/shipped';
import type { DispatchTable } from '../../core/defaults/dispatch/table';
import { createYield, type YieldIfDue } from '../../core/measure/timeSlices';
import { withDispatched } from '../../core/defaults/resolve';
import type { GemmSpec } from '../../core/spec/schema';
import { showWarningMessage } from '../display/notify';
import { nearestFolder } from '../workspace/nearestFolder';
import { HOST_SLICES } from '../shared/slices';

/** Dispatch tables by URI of the folder that contains `.gemm`. */
let tables: ReadonlyMap<string, readonly DispatchTable[]> = new Map();

/**
 * Returns the spec with the schedule that its workspace adopted. Returns it unchanged if it names a
 * schedule or if none was adopted. `uri` is the location of the spec.
 */
export function withAdopted(spec: GemmSpec, uri?: vscode.Uri): GemmSpec {
  const found = spec.schedule === undefined ? adoptedFor(uri) : undefined;
  return found === undefined ? spec : withDispatched(spec, found);
}

/**
 * Returns the dispatch tables with the rows adopted at `uri`; undefined if there are no adopted
 * rows.
 */
export function adoptedFor(uri?: vscode.Uri): readonly DispatchTable[] | undefined {
  const from = uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  if (tables.size === 0 || from === undefined) return undefined;
  const folder = nearestFolder(tables.keys(), `${from.toString()}/`);
  return folder === undefined ? undefined : tables.get(folder);
}

const GLOB = '**/.gemm/dispatch.json';
const MAX_FILES = 100;

export class AdoptedRows implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private loading: Promise<void> = Promise.resolve();
  private remembered: ReadonlyMap<string, Remembered> = new Map();
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

  /** Loads the rows. Calls are serialized, so the result of the last read is used. */
  load(): Promise<void> {
    this.loading = this.loading.then(() => this.read());
    return this.loading;
  }

  private async read(): Promise<void> {
    const files = await vscode.workspace.findFiles(GLOB, '**/node_modules/**', MAX_FILES);
    const read = new Map<string, readonly DispatchTable[]>();
    const remembered = new Map<string, Remembered>();
    const rest = createYield(HOST_SLICES);
    let bytesLeft = MAX_ROWS_BYTES;
    for (const uri of files.toSorted((a, b) => (a.toString() < b.toString() ? -1 : 1))) {
      const found = await this.readFile(uri, bytesLeft, rest);
      remembered.set(uri.toString(), found);
      bytesLeft -= found.bytes;
      const folder = vscode.Uri.joinPath(uri, '..', '..').toString();
      if (found.tables !== undefined) read.set(folder, found.tables);
    }
    this.remembered = remembered;
    if (read.size === 0 && tables.size === 0) return;
    tables = read;
    this.changed.fire();
  }

  /**
   * Reads one file. Returns no tables for an invalid file, and shows one warning until the file
   * changes.
   */
  private async readFile(
    uri: vscode.Uri,
    bytesLeft: number,
    rest: YieldIfDue,
  ): Promise<Remembered> {
    const old = this.remembered.get(uri.toString());
    let known: Omit<Remembered, 'tables'> = { stamp: '', bytes: 0 };
    try {
      const { fs } = vscode.workspace;
      const { type, size, mtime } = await fs.stat(uri);
      const fits = size <= bytesLeft;
      known = { stamp: `${type} ${size} ${mtime} ${fits}`, bytes: fits ? size : 0 };
      if (old?.stamp === known.stamp) return old;
      if ((type & vscode.FileType.File) === 0) throw new Error(t('it is not a regular file'));
      if (!fits) {
        throw new Error(
          t(
            'it has {0} bytes; the limit for all dispatch files together is {1}',
            size,
            MAX_ROWS_BYTES,
          ),
        );
      }
      const text = new TextDecoder().decode(await fs.readFile(uri));
      const decoded = await inSlices(rowSteps(text), rest);
      if (decoded.ok) return { ...known, tables: tablesWith(decoded.rows) };
      const [first] = decoded.errors;
      const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
      throw new Error(`${where}${first?.message ?? ''}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const text = t('{0} is not used: {1}', uri.path, why);
      this.log.warn(text);
      void showWarningMessage(text);
      return known;
    }
  }
}

interface Remembered {
  /**
   * File type, length, modification time, and whether the file fits into the byte limit. The cached
   * result is valid while the stamp is equal.
   */
  readonly stamp: string;
  readonly bytes: number;
  readonly tables?: readonly DispatchTable[];
}

async function inSlices(
  steps: Generator<undefined, DecodedRows>,
  rest: YieldIfDue,
): Promise<DecodedRows> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const pause = rest();
    if (pause !== undefined) await pause;
  }
}
