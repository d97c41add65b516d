/**
 * Writes a generated file. If the user has edited the file, a prompt lists the choices: keep it,
 * save a copy or replace it.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { hashText } from '../../core/text/hash';
import type { GeneratedFile, WorkspaceFiles, WriteResult } from '../abilities';
import { askWithWarning, showErrorMessage, showWarningMessage } from '../display/notify';

/** URI scheme of generated source code that is shown but not written to a file. */
const NEW_SCHEME = 'gemm-new';
/** Highest suffix of a copy: `name-2` to `name-99`. */
const MAX_COPIES = 99;

/**
 * Writes the file and returns its URI, or the URI of the kept file; undefined if writing failed.
 */
export async function keepOrWrite(
  file: GeneratedFile,
  files: WorkspaceFiles,
): Promise<vscode.Uri | undefined> {
  const target = vscode.Uri.joinPath(file.root, file.folder ?? '', file.name);
  const dirty = openDocument(target)?.isDirty === true;
  // Unsaved changes in an editor count as edits, whatever the file on disk contains.
  const result = dirty ? ({ kept: 'edited' } as const) : await files.writeGenerated(file);
  if ('written' in result) return result.written;
  if ('failed' in result) {
    showFailed(result.failed);
    return undefined;
  }
  return await promptConflict({ file, files, uri: target, dirty });
}

const openDocument = (uri: vscode.Uri): vscode.TextDocument | undefined =>
  vscode.workspace.textDocuments.find(document => document.uri.toString() === uri.toString());

interface Question {
  readonly file: GeneratedFile;
  readonly files: WorkspaceFiles;
  readonly uri: vscode.Uri;
  readonly dirty: boolean;
}

type Choice = 'copy' | 'replace' | 'compare' | 'keep';
interface Button extends vscode.MessageItem {
  readonly choice: Choice;
}

const buttons = (dirty: boolean): readonly Button[] => [
  { choice: 'copy', title: t('Save as copy') },
  ...(dirty ? [] : [{ choice: 'replace', title: t('Replace') } as const]),
];

async function promptConflict(question: Question): Promise<vscode.Uri | undefined> {
  const { file, uri, dirty } = question;
  const message = t('Edited after it was generated: {0}', file.name);
  const detail = t(
    'Replacing the file discards these edits. If you dismiss this dialog, the file is kept.',
  );
  // This button replaces Cancel; Escape selects it.
  const keep: Button = { choice: 'keep', title: t('Keep mine'), isCloseAffordance: true };
  const compareIt: Button = { choice: 'compare', title: t('Compare') };
  const picked = await askWithWarning(message, detail, compareIt, ...buttons(dirty), keep);
  if (picked?.choice !== 'compare') return await answer(picked?.choice, question);
  const fresh = await compare(file, uri);
  // A modal dialog would cover the comparison, so the second prompt is a notification.
  const again = t('Keep your version or use the new one? ({0})', file.name);
  const keepToo: Button = { choice: 'keep', title: t('Keep mine') };
  const then = await showWarningMessage(again, keepToo, ...buttons(dirty));
  fresh.dispose();
  return await answer(then?.choice, question);
}

async function answer(
  choice: Choice | undefined,
  { file, files, uri }: Question,
): Promise<vscode.Uri | undefined> {
  if (choice === 'copy') return await copy(file, files);
  if (choice === 'replace') return finish(await files.writeGenerated({ ...file, replace: true }));
  return uri;
}

/**
 * Opens a diff of the file and the new version. The new version is readable until the returned
 * provider is disposed.
 */
async function compare(file: GeneratedFile, uri: vscode.Uri): Promise<vscode.Disposable> {
  const provider = vscode.workspace.registerTextDocumentContentProvider(NEW_SCHEME, {
    provideTextDocumentContent: () => file.text,
  });
  // VS Code caches the content of a URI, so each version has a separate URI.
  const query = hashText(file.text);
  const fresh = vscode.Uri.from({ scheme: NEW_SCHEME, path: `/${file.name}`, query });
  const title = t('Yours ↔ new: {0}', file.name);
  await vscode.commands.executeCommand('vscode.diff', uri, fresh, title);
  return provider;
}

async function copy(file: GeneratedFile, files: WorkspaceFiles): Promise<vscode.Uri | undefined> {
  const [, stem = file.name, ending = ''] = /^(.+?)(\.gemm\.json|\.[^.]+)$/.exec(file.name) ?? [];
  for (let i = 2; i <= MAX_COPIES; i++) {
    const result = await files.writeGenerated({ ...file, name: `${stem}-${i}${ending}` });
    if (!('kept' in result)) return finish(result);
  }
  void showErrorMessage(
    t(
      'Too many copies: the highest suffix, -{0}, is in use. Fix: delete or rename a copy of {1}.',
      MAX_COPIES,
      file.name,
    ),
  );
  return undefined;
}

function finish(result: WriteResult): vscode.Uri | undefined {
  if ('written' in result) return result.written;
  if ('failed' in result) showFailed(result.failed);
  return undefined;
}

/**
 * Shows the failure with a button that opens the setting. A button also prevents VS Code from
 * truncating the message.
 */
function showFailed(why: string): void {
  const change = t('Change output folder');
  void showErrorMessage(why, change).then(picked => {
    if (picked !== change) return;
    void vscode.commands.executeCommand('workbench.action.openSettings', 'gemm.outputFolder');
  });
}
