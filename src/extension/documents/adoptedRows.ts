/**
 * Dispatch rows that this workspace adopted (`.gemm/dispatch.jsonl`), kept up to date. A spec
 * without a schedule uses the rows of its folder or the nearest parent folder. The rows are also
 * read in Restricted Mode.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { MAX_ROWS_BYTES, ROWS_PATH } from '../../core/defaults/dispatch/row';
import {
  adoptedSteps,
  LINES_PATH,
  type Adopted,
  type LineProblem,
} from '../../core/defaults/dispatch/rowLines';
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

const GLOB = '**/.gemm/dispatch.{json,jsonl}';
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
    const folders = new Map(
      files.map(uri => vscode.Uri.joinPath(uri, '..', '..')).map(uri => [uri.toString(), uri]),
    );
    const read = new Map<string, readonly DispatchTable[]>();
    const remembered = new Map<string, Remembered>();
    const rest = createYield(HOST_SLICES);
    let bytesLeft = MAX_ROWS_BYTES;
    for (const [folder, uri] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const found = await this.readFolder(uri, bytesLeft, rest);
      remembered.set(folder, found);
      bytesLeft -= found.bytes;
      if (found.tables !== undefined) read.set(folder, found.tables);
    }
    this.remembered = remembered;
    if (read.size === 0 && tables.size === 0) return;
    tables = read;
    this.changed.fire();
  }

  /**
   * Reads the two files of a folder. A file or line that is not used causes one warning until a
   * file changes.
   */
  private async readFolder(
    folder: vscode.Uri,
    bytesLeft: number,
    rest: YieldIfDue,
  ): Promise<Remembered> {
    const old = this.remembered.get(folder.toString());
    const [linesUri, oldUri] = [LINES_PATH, ROWS_PATH].map(names =>
      vscode.Uri.joinPath(folder, ...names),
    ) as [vscode.Uri, vscode.Uri];
    const lines = await fileOf(linesUri, bytesLeft);
    const json = await fileOf(oldUri, bytesLeft - lines.bytes);
    const known = { stamp: `${lines.stamp} ${json.stamp}`, bytes: lines.bytes + json.bytes };
    if (old?.stamp === known.stamp) return old;
    const [linesText, jsonText] = [await this.textOf(lines), await this.textOf(json)];
    const adopted = await inSlices(adoptedSteps({ lines: linesText, old: jsonText }), rest);
    const { rows, problems, oldErrors, unread } = adopted;
    const [problem] = problems;
    if (unread !== undefined) this.warn(linesUri, unread);
    else if (problem !== undefined) this.warnOfLines(linesUri, problem, problems.length);
    const [first] = oldErrors;
    if (first !== undefined) {
      this.warn(oldUri, first.path === '' ? first.message : `${first.path}: ${first.message}`);
    }
    return rows.length === 0 ? known : { ...known, tables: tablesWith(rows) };
  }

  /** Returns the text of a file; undefined with a warning if it is not used. */
  private async textOf({ uri, stamp, why }: RowsFile): Promise<string | undefined> {
    if (stamp === '') return undefined;
    try {
      if (why !== undefined) throw new Error(why);
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    } catch (error) {
      this.warn(uri, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  private warn({ path }: vscode.Uri, why: string): void {
    this.show(t('{0} is not used: {1}', path, why));
  }

  private warnOfLines({ path }: vscode.Uri, { line, message }: LineProblem, count: number): void {
    this.show(
      count === 1
        ? t('{0}, line {1} is not used: {2}', path, line, message)
        : t(
            '{0} lines of {1} are not used. The first is line {2}: {3}',
            count,
            path,
            line,
            message,
          ),
    );
  }

  private show(text: string): void {
    this.log.warn(text);
    void showWarningMessage(text);
  }
}

interface RowsFile {
  readonly uri: vscode.Uri;
  /** File type, length, modification time and whether it fits; empty for a missing file. */
  readonly stamp: string;
  readonly bytes: number;
  /** Reason why the file cannot be read. */
  readonly why?: string;
}

async function fileOf(uri: vscode.Uri, bytesLeft: number): Promise<RowsFile> {
  try {
    const { type, size, mtime } = await vscode.workspace.fs.stat(uri);
    const fits = size <= bytesLeft;
    const file = { uri, stamp: `${type} ${size} ${mtime} ${fits}`, bytes: fits ? size : 0 };
    if ((type & vscode.FileType.File) === 0) return { ...file, why: t('it is not a regular file') };
    if (fits) return file;
    const why = t(
      'it has {0} bytes; the limit for all dispatch files together is {1}',
      size,
      MAX_ROWS_BYTES,
    );
    return { ...file, why };
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound')
      return { uri, stamp: '', bytes: 0 };
    return { uri, stamp: 'unreadable', bytes: 0, why: error instanceof Error ? error.message : '' };
  }
}

interface Remembered {
  /** Stamps of both files. The cached result is valid while they are equal. */
  readonly stamp: string;
  readonly bytes: number;
  readonly tables?: readonly DispatchTable[];
}

async function inSlices(steps: Generator<undefined, Adopted>, rest: YieldIfDue): Promise<Adopted> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const pause = rest();
    if (pause !== undefined) await pause;
  }
}
