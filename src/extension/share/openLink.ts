/**
 * Opens a spec from a link, after a question. It writes no file and runs nothing, so Restricted
 * Mode allows it.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { resolve } from '../../core/defaults/resolve';
import { shortName } from '../../core/plan/shortName';
import { problemName } from '../../core/spec/problemName';
import type { GemmSpec } from '../../core/spec/schema';
import { specOfLink } from '../../specLink';
import { askWithInformation, showErrorMessage } from '../display/notify';
import { fromSpec } from '../documents/shown';
import type { Explorer } from '../explorer/explorer';
import { SPEC_ENDING } from '../ids';

export async function openLink(
  { path, query }: vscode.Uri,
  explorer: Pick<Explorer, 'open'>,
): Promise<void> {
  const linked = await specOfLink(path, query);
  if (!linked.ok) {
    void showErrorMessage(t('Nothing was opened. {0}', linked.reason));
    return;
  }
  const { spec } = linked;
  const resolved = resolve(spec);
  const inExplorer = t('Open in explorer');
  const asText = t('Open as text');
  const detail = [
    t('Problem: {0}', problemName(resolved.problem)),
    t('Algorithm: {0}; device: {1}', resolved.schedule.algorithm, resolved.device),
    t('The link comes from outside of this window, and its author is unknown.'),
    t('Opening it writes no file and runs nothing.'),
  ].join('\n');
  const picked = await askWithInformation(
    t('Open the GEMM spec of a link?'),
    detail,
    inExplorer,
    asText,
  );
  if (picked === inExplorer) explorer.open(fromSpec(spec), { focus: 'top' });
  else if (picked === asText) await openAsText(spec, shortName(resolved));
}

/** Opens the spec in a new document without a file. */
async function openAsText(spec: GemmSpec, name: string): Promise<void> {
  const taken = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
  const uris = (function* (): Generator<vscode.Uri> {
    for (let count = 1; ; count++) {
      const part = count === 1 ? name : `${name}-${count}`;
      yield vscode.Uri.from({ scheme: 'untitled', path: `${part}${SPEC_ENDING}` });
    }
  })();
  for (const uri of uris) {
    if (taken.has(uri.toString())) continue;
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), `${JSON.stringify(spec, null, 2)}\n`);
    await vscode.workspace.applyEdit(edit);
    await vscode.window.showTextDocument(document);
    return;
  }
}
