/** Writes a generated file; where its owner has changed it, asks: keep it, save a copy, or replace it. */
import path from 'node:path';
import * as vscode from 'vscode';
import { hashText } from '../core/emit/hash';
import { writeGenerated, type GeneratedFile } from '../host/files';

const COPY = 'Save as copy';
const REPLACE = 'Replace';
const COMPARE = 'Compare';
const KEEP = 'Keep';
/** Addresses of texts that were generated and not written. */
const NEW_SCHEME = 'gemm-new';
/** Copies tried: `name-2` to `name-99`. */
const MOST_COPIES = 99;

/** The file that now holds the text, or the one kept; undefined when nothing could be written. */
export async function keepOrWrite(file: GeneratedFile): Promise<vscode.Uri | undefined> {
  const target = path.resolve(file.root, file.folder ?? '', file.name);
  const dirty = openDocument(target)?.isDirty === true;
  // An editor with unsaved changes is somebody's work too, whatever the disk holds.
  const result = dirty ? ({ kept: 'edited', path: target } as const) : await writeGenerated(file);
  if ('written' in result) return vscode.Uri.file(result.written);
  if ('failed' in result) {
    sayFailed(result.failed);
    return undefined;
  }
  return await ask(file, vscode.Uri.file(result.path), dirty);
}

const openDocument = (file: string): vscode.TextDocument | undefined =>
  vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === file);

async function ask(
  file: GeneratedFile,
  uri: vscode.Uri,
  dirty: boolean,
): Promise<vscode.Uri | undefined> {
  const message = `${file.name} was changed since it was generated.`;
  const detail = 'Replacing it loses those changes. Without an answer it stays as it is.';
  const choices = [COPY, ...(dirty ? [] : [REPLACE])];
  const options = { modal: true, detail };
  const picked = await vscode.window.showWarningMessage(message, options, COMPARE, ...choices);
  if (picked !== COMPARE) return await answer(picked, file, uri);
  const fresh = await compare(file, uri);
  // A modal dialog would cover the comparison; this question stays beside it.
  const question = `${file.name}: keep your file, or take the new one?`;
  const then = await vscode.window.showWarningMessage(question, KEEP, ...choices);
  fresh.dispose();
  return await answer(then, file, uri);
}

async function answer(
  picked: string | undefined,
  file: GeneratedFile,
  uri: vscode.Uri,
): Promise<vscode.Uri | undefined> {
  if (picked === COPY) return await copy(file);
  if (picked === REPLACE) return await finish(writeGenerated({ ...file, replace: true }));
  return uri;
}

/** Beside the file a read-only document, which leaves nothing to be saved; it lasts until disposed. */
async function compare(file: GeneratedFile, uri: vscode.Uri): Promise<vscode.Disposable> {
  const provider = vscode.workspace.registerTextDocumentContentProvider(NEW_SCHEME, {
    provideTextDocumentContent: () => file.text,
  });
  // VS Code keeps what it has read of an address: another text needs another one.
  const query = hashText(file.text);
  const fresh = vscode.Uri.from({ scheme: NEW_SCHEME, path: `/${file.name}`, query });
  await vscode.commands.executeCommand('vscode.diff', uri, fresh, `${file.name}: yours and new`);
  return provider;
}

async function copy(file: GeneratedFile): Promise<vscode.Uri | undefined> {
  const [, stem = file.name, ending = ''] = /^(.+?)(\.gemm\.json|\.[^.]+)$/.exec(file.name) ?? [];
  for (let i = 2; i <= MOST_COPIES; i++) {
    const result = await writeGenerated({ ...file, name: `${stem}-${i}${ending}` });
    if (!('kept' in result)) return await finish(Promise.resolve(result));
  }
  void vscode.window.showErrorMessage(`There are ${MOST_COPIES} copies of ${file.name} already.`);
  return undefined;
}

async function finish(writing: ReturnType<typeof writeGenerated>): Promise<vscode.Uri | undefined> {
  const result = await writing;
  if ('written' in result) return vscode.Uri.file(result.written);
  if ('failed' in result) sayFailed(result.failed);
  return undefined;
}

/** With a button, which also keeps VS Code from cutting the message down to one line. */
function sayFailed(why: string): void {
  const change = 'Change the output folder';
  void vscode.window.showErrorMessage(why, change).then(picked => {
    if (picked !== change) return;
    void vscode.commands.executeCommand('workbench.action.openSettings', 'gemm.outputFolder');
  });
}
