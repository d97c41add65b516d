/**
 * A web extension for tests: an in-memory folder `memory:/workspace`, and a command that copies
 * what is in it, and what this extension host is, as JSON to the clipboard.
 */
import * as vscode from 'vscode';

const SAMPLE = {
  version: 1,
  problem: { m: 64, n: 64, k: 64 },
  schedule: { algorithm: 'thread-tile-2d' },
};

class MemoryFiles implements vscode.FileSystemProvider {
  private readonly files = new Map<string, Uint8Array>();
  private readonly folders = new Set(['/', '/workspace']);
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat({ path }: vscode.Uri): vscode.FileStat {
    const file = this.files.get(path);
    if (file !== undefined)
      return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: file.length };
    if (this.folders.has(path))
      return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    throw vscode.FileSystemError.FileNotFound(path);
  }

  readDirectory({ path }: vscode.Uri): [string, vscode.FileType][] {
    if (!this.folders.has(path)) throw vscode.FileSystemError.FileNotFound(path);
    const below = path.endsWith('/') ? path : `${path}/`;
    const children = (paths: Iterable<string>, type: vscode.FileType) =>
      [...paths]
        .filter(name => name.startsWith(below) && !name.slice(below.length).includes('/'))
        .map((name): [string, vscode.FileType] => [name.slice(below.length), type])
        .filter(([name]) => name !== '');
    return [
      ...children(this.folders, vscode.FileType.Directory),
      ...children(this.files.keys(), vscode.FileType.File),
    ];
  }

  createDirectory(uri: vscode.Uri): void {
    this.folders.add(uri.path);
    this.tell(vscode.FileChangeType.Created, uri);
  }

  readFile({ path }: vscode.Uri): Uint8Array {
    const file = this.files.get(path);
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(path);
    return file;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const type = this.files.has(uri.path)
      ? vscode.FileChangeType.Changed
      : vscode.FileChangeType.Created;
    this.files.set(uri.path, content);
    this.tell(type, uri);
  }

  delete(uri: vscode.Uri): void {
    if (!this.files.delete(uri.path)) throw vscode.FileSystemError.FileNotFound(uri.path);
    this.tell(vscode.FileChangeType.Deleted, uri);
  }

  rename(from: vscode.Uri, to: vscode.Uri): void {
    this.writeFile(to, this.readFile(from));
    this.delete(from);
  }

  all(): Readonly<Record<string, string>> {
    const decoder = new TextDecoder();
    return Object.fromEntries(
      [...this.files].map(([path, bytes]) => [path, decoder.decode(bytes)]),
    );
  }

  private tell(type: vscode.FileChangeType, uri: vscode.Uri): void {
    this.changed.fire([{ type, uri }]);
  }
}

/** What this extension host has: of Node nothing. */
const host = () => ({
  process: typeof (globalThis as { process?: unknown }).process,
  buffer: typeof (globalThis as { Buffer?: unknown }).Buffer,
  require: typeof (globalThis as { require?: unknown }).require,
  worker: typeof (globalThis as { importScripts?: unknown }).importScripts,
  isWeb: vscode.env.uiKind === vscode.UIKind.Web,
  remoteName: vscode.env.remoteName ?? null,
});

export function activate(context: vscode.ExtensionContext): void {
  const files = new MemoryFiles();
  const sample = vscode.Uri.from({ scheme: 'memory', path: '/workspace/first.gemm.json' });
  files.writeFile(sample, new TextEncoder().encode(`${JSON.stringify(SAMPLE, null, 2)}\n`));
  context.subscriptions.push(
    vscode.workspace.registerFileSystemProvider('memory', files, { isCaseSensitive: true }),
    vscode.commands.registerCommand('memory.report', () =>
      vscode.env.clipboard.writeText(JSON.stringify({ host: host(), files: files.all() })),
    ),
  );
}
