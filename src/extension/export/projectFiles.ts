/** Files of an exported project in a workspace folder, on disk or in a virtual file system. */
import * as vscode from 'vscode';
import { hashesIn, isUnedited, MANIFEST_NAME } from '../../core/export/manifest';
import type { ExportFile } from '../../core/export/subject';
import { ownsFile } from '../../core/source/kernelFile';
import type { WorkspaceFiles } from '../abilities';

export interface Place {
  readonly root: vscode.Uri;
  /** Folder of the project below the root, with `/`. */
  readonly folder: string;
}

/**
 * Returns the existing files that differ from the project. `owned` lists unedited files of an
 * earlier export; `conflicts` lists all other files, such as files with unsaved edits.
 */
export async function findConflicts(
  files: readonly ExportFile[],
  { root, folder }: Place,
): Promise<{ readonly owned: readonly string[]; readonly conflicts: readonly string[] }> {
  const at = (name: string): vscode.Uri => vscode.Uri.joinPath(root, folder, name);
  const hashes = hashesIn(await textOf(at(MANIFEST_NAME)));
  const owned: string[] = [];
  const conflicts: string[] = [];
  for (const file of files) {
    const uri = at(file.path);
    const existing = await textOf(uri);
    const isDirty = openDocument(uri)?.isDirty === true;
    if (!isDirty && (existing === undefined || existing === file.text)) continue;
    const isManifest = file.path === MANIFEST_NAME && hashes.size > 0;
    const isOurs =
      existing !== undefined &&
      (isManifest || isUnedited(file, existing, hashes) || ownsFile(existing) === 'generated');
    (isOurs && !isDirty ? owned : conflicts).push(file.path);
  }
  return { owned, conflicts };
}

/** Writes the files, and replaces those in `replaced`. Returns the reason if a write fails. */
export async function writeProject(
  files: readonly ExportFile[],
  { root, folder, replaced }: Place & { readonly replaced: ReadonlySet<string> },
  { writeGenerated }: WorkspaceFiles,
): Promise<string | undefined> {
  for (const { path, text } of files) {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    const below = [folder, ...parts].join('/');
    const replace = replaced.has(path);
    const result = await writeGenerated({ root, folder: below, name, text, replace });
    if ('failed' in result) return result.failed;
    if ('kept' in result) return `${below}/${name}: ${result.kept}`;
  }
  return undefined;
}

const openDocument = (uri: vscode.Uri): vscode.TextDocument | undefined =>
  vscode.workspace.textDocuments.find(document => document.uri.toString() === uri.toString());

/** Files above this size are not part of an export. */
const MAX_BYTES = 8_000_000;

/** Returns the text of a file, '' if it is not a readable text, and undefined if it is missing. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const stat = await vscode.workspace.fs.stat(uri).then(
    found => found,
    () => undefined,
  );
  if (stat === undefined) return undefined;
  if (stat.type !== vscode.FileType.File || stat.size > MAX_BYTES) return '';
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}
