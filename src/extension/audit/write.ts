/** Writes the files of an audit to the workspace, and offers to open the page. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { auditFiles, isAuditOutput, PAGE_FILE } from '../../core/audit/files';
import type { ShapeResult } from '../../core/audit/result';
import type { AuditSummary } from '../../core/audit/summary';
import { endText, totalsTexts } from '../../core/audit/words';
import type { GeneratedFile, WriteResult } from '../abilities';
import {
  askWithWarning,
  showErrorMessage,
  showInformationMessage,
  showWarningMessage,
} from '../display/notify';
import { AUDIT_FOLDER } from '../ids';
import { openPage } from '../report/openPage';
import type { Base } from '../shared/base';

export async function writeAudit(
  folder: vscode.WorkspaceFolder,
  results: readonly ShapeResult[],
  summary: AuditSummary,
  { abilities, log }: Pick<Base, 'abilities' | 'log'>,
): Promise<void> {
  for (const { place, message } of summary.issues) log.warn(`${place}: ${message}`);
  for (const note of summary.notes) log.info(note);
  const below = (name?: string): string =>
    name === undefined ? AUDIT_FOLDER : `${AUDIT_FOLDER}/${name}`;
  for (const file of auditFiles(results, summary)) {
    const { folder: part, name, text } = file;
    const generated = { root: folder.uri, folder: below(part), name, text };
    const written = await write(generated, abilities.files.writeGenerated);
    if (written === 'declined') return;
    if (written !== 'written') {
      void showErrorMessage(written.failed);
      return;
    }
  }
  await offer(vscode.Uri.joinPath(folder.uri, AUDIT_FOLDER, PAGE_FILE), summary);
}

type Write = (file: GeneratedFile) => Promise<WriteResult>;

/** Replaces files of an earlier audit. Asks before it replaces any other file. */
async function write(
  file: GeneratedFile,
  writeGenerated: Write,
): Promise<'written' | 'declined' | { readonly failed: string }> {
  let result = await writeGenerated(file);
  if ('kept' in result) {
    const uri = vscode.Uri.joinPath(file.root, file.folder ?? '', file.name);
    const old = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    if (!isAuditOutput(old)) {
      const replace = t('Replace');
      const question = t('{0} already exists and is not from an audit.', file.name);
      if ((await askWithWarning(question, undefined, replace)) !== replace) return 'declined';
    }
    result = await writeGenerated({ ...file, replace: true });
  }
  if ('failed' in result) return result;
  return 'written' in result ? 'written' : 'declined';
}

async function offer(page: vscode.Uri, summary: AuditSummary): Promise<void> {
  const { ended, issueCount } = summary;
  const text = [
    ...totalsTexts(summary),
    endText(ended),
    ...(issueCount === 0 ? [] : [t('Lines without a shape: {0}.', issueCount)]),
  ].join(' ');
  const open = t('Open page');
  const isWhole = ended === 'done' || ended === 'predicted';
  const show = isWhole ? showInformationMessage : showWarningMessage;
  if ((await show(text, open)) === open) await openPage(page);
}
