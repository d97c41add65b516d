/**
 * Files through VS Code's own file systems, for folders that lie on no disk of this machine: a repository on
 * the web, an archive. They have no rename that replaces in one step, so a write is a single call of theirs.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { parseRows, ROWS_PATH, rowsText, withRow, type DispatchRow } from '../core/dispatch/row';
import { isFileName, noFileName } from '../core/emit/fileName';
import { ownsFile } from '../core/emit/kernelFile';
import {
  MAX_RUNS_FILE_BYTES,
  RUNS_PATH,
  runsFileName,
  type RunsFile,
} from '../core/measure/history';
import { addLines } from '../core/measure/historyEdit';
import type { AppendResult, GeneratedFile, WorkspaceFiles, WriteResult } from './abilities';

const { fs } = vscode.workspace;

/** One after the other: each change reads the file and writes it whole. */
let changing: Promise<unknown> = Promise.resolve();

const rewriteInTurn: WorkspaceFiles['rewriteRuns'] = (root, name, change) => {
  const changed = changing.then(() => rewriteRuns(root, name, change));
  changing = changed;
  return changed;
};

export const workspaceFiles: WorkspaceFiles = {
  writeGenerated,
  appendRun: (root, name, measurement) =>
    rewriteInTurn(root, runsFileName(name), bytes =>
      addLines(bytes, [JSON.stringify(measurement)]),
    ),
  readRuns,
  rewriteRuns: rewriteInTurn,
  adoptRow: (root, row) => {
    const adopted = changing.then(() => adoptRow(root, row));
    changing = adopted;
    return adopted;
  },
};

async function adoptRow(root: vscode.Uri, row: DispatchRow): Promise<AppendResult> {
  const file = vscode.Uri.joinPath(root, ...ROWS_PATH);
  try {
    const refused = await makeFolder(root, vscode.Uri.joinPath(file, '..'));
    if (refused !== undefined) return { failed: refused };
    const old = await readOld(file);
    if (old !== undefined && 'why' in old) return { failed: old.why };
    const decoded = parseRows(old === undefined ? rowsText([]) : new TextDecoder().decode(old));
    if (!decoded.ok) {
      const [first] = decoded.errors;
      const why = `${first?.path ?? ''}: ${first?.message ?? ''}`;
      return { failed: t("'{0}' stays as it is, since it cannot be used: {1}", file.path, why) };
    }
    await fs.writeFile(file, new TextEncoder().encode(rowsText(withRow(decoded.rows, row))));
    return { written: file };
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
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

async function rewriteRuns(
  root: vscode.Uri,
  name: string,
  change: (bytes: Uint8Array) => Uint8Array,
): Promise<AppendResult> {
  const folder = vscode.Uri.joinPath(root, ...RUNS_PATH);
  const file = vscode.Uri.joinPath(folder, name);
  if (!isFileName(name)) return { failed: noFileName(name) };
  try {
    const refused = await makeFolder(root, folder);
    if (refused !== undefined) return { failed: refused };
    const old = (await readOld(file)) ?? new Uint8Array();
    if ('why' in old) return { failed: old.why };
    const changed = change(old);
    if (changed.length > 0) await fs.writeFile(file, changed);
    else if (old.length > 0) await fs.delete(file);
    return { written: file };
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
}

async function readRuns(root: vscode.Uri): Promise<readonly RunsFile[]> {
  const folder = vscode.Uri.joinPath(root, ...RUNS_PATH);
  const entries = await Promise.resolve(fs.readDirectory(folder)).catch(() => []);
  const names = entries.map(([name]) => name).filter(name => name.endsWith('.jsonl'));
  const files: RunsFile[] = [];
  for (const name of names.sort()) files.push(await readFile(folder, name));
  return files;
}

async function readFile(folder: vscode.Uri, name: string): Promise<RunsFile> {
  const file = vscode.Uri.joinPath(folder, name);
  try {
    const { size } = await fs.stat(file);
    if (size > MAX_RUNS_FILE_BYTES) {
      const unread = t('it has {0} bytes; up to {1} are read', size, MAX_RUNS_FILE_BYTES);
      return { name, text: '', unread };
    }
    return { name, text: new TextDecoder().decode(await fs.readFile(file)) };
  } catch (error) {
    return { name, text: '', unread: error instanceof Error ? error.message : String(error) };
  }
}

/** Makes a folder below the root; says why not when `..` or a link leads out of it. */
async function makeFolder(root: vscode.Uri, folder: vscode.Uri): Promise<string | undefined> {
  const base = root.path.endsWith('/') ? root.path : `${root.path}/`;
  const outside = t(
    "'{0}' is outside of '{1}': choose a folder inside it.",
    folder.path,
    root.path,
  );
  if (folder.path !== root.path && !folder.path.startsWith(base)) return outside;
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

/** What is there; undefined when there is nothing. */
async function readOld(target: vscode.Uri): Promise<Old> {
  const stat = await statOf(target);
  if (stat === undefined) return undefined;
  if (isLink(stat)) {
    return {
      why: t(
        "'{0}' is a symbolic link; those are not written through. Remove it first.",
        target.path,
      ),
    };
  }
  if (stat.type !== vscode.FileType.File) {
    return { why: t("'{0}' is not a file. Remove it first.", target.path) };
  }
  return await fs.readFile(target);
}

/** A link's type is that of what it leads to, with a bit more. */
const isLink = ({ type }: vscode.FileStat): boolean => (type & vscode.FileType.SymbolicLink) > 0;

const statOf = (uri: vscode.Uri): Promise<vscode.FileStat | undefined> =>
  Promise.resolve(fs.stat(uri)).catch(() => undefined);

function explainWrite({ path, scheme }: vscode.Uri, error: unknown): string {
  const code = error instanceof vscode.FileSystemError ? error.code : '';
  if (code === 'NoPermissions') {
    return t("'{0}' could not be written: the file system {1} is read-only.", path, scheme);
  }
  const why = error instanceof Error ? error.message : String(error);
  return t("'{0}' could not be written: {1}.", path, why);
}
