/**
 * File writer for folders that are not on local disk, such as a web repository or an archive. These
 * file systems do not support atomic renames, so each write is a single call.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { ROWS_PATH, type DispatchRow } from '../../core/defaults/dispatch/row';
import {
  LINES_PATH,
  linesToAdopt,
  parseAdopted,
  whyFull,
} from '../../core/defaults/dispatch/rowLines';
import { isFileName, noFileName } from '../../core/kernel/file/fileName';
import { ownsFile } from '../../core/source/kernelFile';
import { RUNS_PATH } from '../../core/measure/history';
import type { ListedFile } from '../../core/measure/historyFile';
import {
  HISTORY_LIMITS,
  MAX_RUNS_FILES,
  tooManyFiles,
  type ListedFolder,
  type UnreadFile,
} from '../../core/measure/historyReader';
import { reservedFolder } from '../../core/kernel/file/fileName';
import type { SpecError } from '../../core/spec/decode';
import {
  ATTRIBUTES_FILE,
  attributesText,
  MAX_ATTRIBUTES_BYTES,
} from '../../core/text/gitAttributes';
import type { AppendResult, GeneratedFile, WorkspaceFiles, WriteResult } from '../abilities';

const { fs } = vscode.workspace;

/** Pending changes. They are serialized, because each change reads the file and rewrites it. */
let changing: Promise<unknown> = Promise.resolve();

export const workspaceFiles: WorkspaceFiles = {
  writeGenerated,
  appendLines: (root, name, lines) => {
    const appended = changing.then(() => appendLines(root, name, lines));
    changing = appended;
    return appended;
  },
  listRuns,
  adoptRow: (root, row) => {
    const adopted = changing.then(() => adoptRow(root, row));
    changing = adopted;
    return adopted;
  },
};

async function adoptRow(root: vscode.Uri, row: DispatchRow): Promise<AppendResult> {
  const file = vscode.Uri.joinPath(root, ...LINES_PATH);
  try {
    const refused = await makeFolder(root, vscode.Uri.joinPath(file, '..'));
    if (refused !== undefined) return { failed: refused };
    const [lines, old] = [await readText(file), await readText(oldRowsIn(root))];
    if (typeof lines === 'object') return { failed: lines.why };
    if (typeof old === 'object') return { failed: old.why };
    const adopted = parseAdopted({ lines, old });
    const [first] = adopted.oldErrors;
    if (first !== undefined) return { failed: notValid(oldRowsIn(root), first) };
    const added = linesToAdopt(adopted, row);
    const full = added.length === 0 ? undefined : whyFull(adopted, row, added.length);
    const why = adopted.unread ?? full;
    if (why !== undefined) return { failed: `'${file.path}': ${why}` };
    if (lines === undefined) await writeAttributes(vscode.Uri.joinPath(file, '..'));
    if (added.length === 0) return { written: file };
    return await appendTo(file, added);
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
}

const oldRowsIn = (root: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(root, ...ROWS_PATH);

const notValid = ({ path }: vscode.Uri, { path: field, message }: SpecError): string =>
  t(
    "'{0}' is not valid and was left unchanged. Fix: correct or delete the file. First error: {1}",
    path,
    field === '' ? message : `${field}: ${message}`,
  );

async function readText(file: vscode.Uri): Promise<string | undefined | { readonly why: string }> {
  const old = await readOld(file);
  return old === undefined || 'why' in old ? old : new TextDecoder().decode(old);
}

/** Adds missing merge rules to the attributes file of `.gemm`. */
async function writeAttributes(folder: vscode.Uri): Promise<void> {
  const file = vscode.Uri.joinPath(folder, ATTRIBUTES_FILE);
  const size = (await statOf(file))?.size ?? 0;
  const old = size > MAX_ATTRIBUTES_BYTES ? { why: '' } : await readText(file);
  if (typeof old === 'object') return;
  const text = attributesText(old);
  if (text !== undefined) await fs.writeFile(file, new TextEncoder().encode(text));
}

async function writeGenerated(file: GeneratedFile): Promise<WriteResult> {
  if (!isFileName(file.name)) return { failed: noFileName(file.name) };
  const folder = vscode.Uri.joinPath(file.root, file.folder ?? '');
  const target = vscode.Uri.joinPath(folder, file.name);
  try {
    const refused = await makeFolder(file.root, folder);
    if (refused !== undefined) return { failed: refused };
    const bytes = await readOld(target);
    if (bytes !== undefined && 'why' in bytes) return { failed: bytes.why };
    const old = bytes === undefined ? undefined : new TextDecoder().decode(bytes);
    if (old === file.text) return { written: target };
    const state = old === undefined || file.replace === true ? 'generated' : ownsFile(old);
    if (state !== 'generated') return { kept: state };
    await fs.writeFile(target, new TextEncoder().encode(file.text));
    return { written: target };
  } catch (error) {
    return { failed: explainWrite(target, error) };
  }
}

/** Appends lines by rewriting the file, because these file systems cannot append. */
async function appendLines(
  root: vscode.Uri,
  name: string,
  lines: readonly string[],
): Promise<AppendResult> {
  const folder = vscode.Uri.joinPath(root, ...RUNS_PATH);
  const file = vscode.Uri.joinPath(folder, name);
  if (!isFileName(name)) return { failed: noFileName(name) };
  try {
    const isFirst = (await statOf(folder)) === undefined;
    const refused = await makeFolder(root, folder);
    if (refused !== undefined) return { failed: refused };
    if (isFirst) await writeAttributes(vscode.Uri.joinPath(folder, '..'));
    return await appendTo(file, lines);
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
}

async function appendTo(file: vscode.Uri, lines: readonly string[]): Promise<AppendResult> {
  const size = (await statOf(file))?.size ?? 0;
  if (size > HISTORY_LIMITS.bytes) {
    return { failed: t("'{0}' is too large to append to. Fix: move it elsewhere.", file.path) };
  }
  const old = (await readOld(file)) ?? new Uint8Array();
  if ('why' in old) return { failed: old.why };
  const separator = old.length === 0 || old.at(-1) === NEWLINE ? '' : '\n';
  const added = new TextEncoder().encode(separator + lines.map(line => `${line}\n`).join(''));
  const changed = new Uint8Array(old.length + added.length);
  changed.set(old);
  changed.set(added, old.length);
  await fs.writeFile(file, changed);
  return { written: file };
}

const NEWLINE = 0x0a;

async function listRuns(root: vscode.Uri): Promise<ListedFolder> {
  const folder = vscode.Uri.joinPath(root, ...RUNS_PATH);
  const entries = await Promise.resolve(fs.readDirectory(folder)).catch(() => []);
  const names = entries.map(([name]) => name).filter(name => name.endsWith('.jsonl'));
  const files: ListedFile[] = [];
  const unread: UnreadFile[] =
    names.length > MAX_RUNS_FILES ? [{ name: '', why: tooManyFiles() }] : [];
  for (const name of names.sort().slice(0, MAX_RUNS_FILES)) {
    const listed = await list(vscode.Uri.joinPath(folder, name), name);
    if ('why' in listed) unread.push(listed);
    else files.push(listed);
  }
  return { files, unread };
}

/**
 * Returns the listing entry of a file. Links are not followed, because their targets cannot be
 * resolved here.
 */
async function list(file: vscode.Uri, name: string): Promise<ListedFile | UnreadFile> {
  try {
    const { type, size, mtime } = await fs.stat(file);
    if (type !== vscode.FileType.File) {
      return { name, why: t('not read: it is not a regular file. Fix: remove it.') };
    }
    return {
      name,
      bytes: size,
      changedMs: mtime,
      stamp: `${size} ${mtime}`,
      chunks: () => chunksOf(file),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { name, why: t('not read: {0}', why) };
  }
}

const CHUNK_BYTES = 2 ** 18;

/** Reads the whole file before it yields chunks, because these file systems cannot read ranges. */
async function* chunksOf(file: vscode.Uri): AsyncGenerator<string> {
  const bytes = await fs.readFile(file);
  const decoder = new TextDecoder();
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield decoder.decode(bytes.subarray(at, at + CHUNK_BYTES), { stream: true });
  }
  yield decoder.decode();
}

/**
 * Creates a folder inside the root. Returns an error message if the path leaves the root, contains
 * a link, or enters .git or .vscode; otherwise undefined.
 */
async function makeFolder(root: vscode.Uri, folder: vscode.Uri): Promise<string | undefined> {
  const base = root.path.endsWith('/') ? root.path : `${root.path}/`;
  const outside = t(
    "'{0}' is outside '{1}'. Fix: choose a folder inside it.",
    folder.path,
    root.path,
  );
  if (folder.path !== root.path && !folder.path.startsWith(base)) return outside;
  const reserved = reservedFolder(folder.path.slice(base.length));
  if (reserved !== undefined)
    return t(
      "'{0}' is inside {1}, which git and VS Code use. Fix: choose another folder.",
      folder.path,
      reserved,
    );
  const below = folder.path.slice(base.length).split('/').filter(Boolean);
  for (let depth = 1; depth <= below.length; depth++) {
    const stat = await statOf(vscode.Uri.joinPath(root, ...below.slice(0, depth)));
    if (stat === undefined) break;
    if (isLink(stat)) return outside;
  }
  await fs.createDirectory(folder);
  return undefined;
}

type Old = Uint8Array | undefined | { readonly why: string };

/**
 * Returns the existing content, or an error if the target is a link or not a file; undefined if it
 * does not exist.
 */
async function readOld(target: vscode.Uri): Promise<Old> {
  const stat = await statOf(target);
  if (stat === undefined) return undefined;
  if (isLink(stat)) {
    return {
      why: t(
        "'{0}' is a symbolic link, and links are not followed. Fix: remove it first.",
        target.path,
      ),
    };
  }
  if (stat.type !== vscode.FileType.File) {
    return { why: t("'{0}' is not a file. Fix: remove it first.", target.path) };
  }
  return await fs.readFile(target);
}

/**
 * Returns whether the entry is a symbolic link. Its type is the type of the target with the
 * SymbolicLink bit set.
 */
const isLink = ({ type }: vscode.FileStat): boolean => (type & vscode.FileType.SymbolicLink) > 0;

const statOf = (uri: vscode.Uri): Promise<vscode.FileStat | undefined> =>
  Promise.resolve(fs.stat(uri)).catch(() => undefined);

function explainWrite({ path, scheme }: vscode.Uri, error: unknown): string {
  const code = error instanceof vscode.FileSystemError ? error.code : '';
  if (code === 'NoPermissions') {
    return t(
      "'{0}' could not be written: the file system {1} is read-only. Fix: choose a folder on a different file system.",
      path,
      scheme,
    );
  }
  const why = error instanceof Error ? error.message : String(error);
  return t("'{0}' could not be written: {1}.", path, why);
}
