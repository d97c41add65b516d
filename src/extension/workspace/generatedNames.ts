/** Names of generated files in a folder of the workspace. */
import * as vscode from 'vscode';
import { resolve } from '../../core/defaults/resolve';
import { isFileName } from '../../core/kernel/file/fileName';
import { shortName } from '../../core/plan/shortName';
import { specKey } from '../../core/plan/specKey';
import { fileStem } from '../../core/source/fileStem';
import type { GemmSpec, Target } from '../../core/spec/schema';

/** Larger files count as files of another spec. */
const MAX_BYTES = 2_000_000;

/** Files that a spec was read from. */
export interface OwnFiles {
  readonly specFile?: vscode.Uri;
  /** Kernel file that contains exactly this spec. */
  readonly kernelFile?: vscode.Uri;
}

/**
 * Returns the common name of the files of a spec in a folder, without an extension: the name of the
 * file that the spec was read from, or else the short name of the spec. Adds a suffix if files of
 * another spec have that name.
 */
export function generatedStem(
  spec: GemmSpec,
  folder: vscode.Uri,
  { specFile, kernelFile }: OwnFiles,
): Promise<string> {
  const resolved = resolve(spec);
  const own = stemOf(specFile ?? kernelFile);
  const base = own !== undefined && isFileName(own) ? own : shortName(resolved);
  return fileStem(base, specKey(resolved), async name => {
    const uri = vscode.Uri.joinPath(folder, name);
    return uri.toString() === specFile?.toString() ? undefined : await textOf(uri);
  });
}

const stemOf = (file: vscode.Uri | undefined): string | undefined =>
  file?.path
    .split('/')
    .pop()
    ?.replace(/\.(gemm\.json|cu|wgsl)$/, '');

export const kernelFileName = (stem: string, target: Target): string =>
  `${stem}.${target === 'cuda' ? 'cu' : 'wgsl'}`;

/** Returns the text of a file, with unsaved edits; undefined if there is no such file. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find(
    document => document.uri.toString() === uri.toString(),
  );
  if (open !== undefined) return open.getText();
  const found = await vscode.workspace.fs.stat(uri).then(
    stat => stat,
    () => undefined,
  );
  if (found === undefined) return undefined;
  if (found.type !== vscode.FileType.File || found.size > MAX_BYTES) return '';
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}
