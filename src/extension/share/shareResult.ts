/** *Share result*: writes a capsule to a file that the user selects, after a question. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { pinnedSpec } from '../../core/defaults/pinnedSpec';
import type { Measurement } from '../../core/measure/measurement';
import type { CompiledKernel } from '../../core/report/capsule';
import { grouped } from '../../core/text/numbers';
import { linkTo } from '../../specLink';
import type { Abilities } from '../abilities';
import { askWithInformation, showErrorMessage, showInformationMessage } from '../display/notify';
import type { FollowedKernel } from '../documents/ownKernel';
import type { Shown } from '../documents/shown';
import { openPage } from '../report/openPage';

export interface ShareFacts {
  readonly capsule: Abilities['capsule'];
  readonly version: string;
  readonly runs: () => readonly Measurement[];
  readonly compiled: () => readonly CompiledKernel[];
}

export async function shareResult(
  { spec, name, target }: Shown,
  followed: FollowedKernel | undefined,
  facts: ShareFacts,
): Promise<void> {
  const { capsule } = facts;
  if (capsule === undefined) {
    void showErrorMessage(
      t(
        'Sharing a file requires the desktop extension host. Fix: copy a link to the spec, or open this folder in desktop VS Code.',
      ),
    );
    return;
  }
  if (followed !== undefined) {
    void showErrorMessage(
      t(
        'The explorer shows an edited or hand-written kernel, but a shared file contains generated kernels. Fix: export a report.',
      ),
    );
    return;
  }
  const file = name.endsWith('.gemm.json') ? name : `${name.replace(/\.[^.]*$/, '')}.gemm.json`;
  const result = await capsule.write({
    spec,
    name: file,
    ...(target === undefined ? {} : { target }),
    runs: facts.runs(),
    compiled: facts.compiled(),
    link: await linkTo(pinnedSpec(spec), vscode.env.uriScheme),
    privacy: { roots: workspaceFolders(), secrets: capsule.secrets() },
    version: facts.version,
    language: vscode.env.language,
  });
  if (!result.ok) {
    void showErrorMessage(t('No file was written. {0}', result.reason));
    return;
  }
  const { html, bytes, contains, omitted } = result.capsule;
  const save = t('Save');
  const detail = [
    ...contains.map(item => `- ${item}`),
    ...omitted,
    t('Paths are relative to the workspace. The file loads nothing from the network.'),
  ].join('\n');
  const question = t('Save an HTML file of {0} kB with this content?', grouped(bytes / 1000));
  if ((await askWithInformation(question, detail, save)) !== save) return;
  await saveAs(file.replace(/\.gemm\.json$/, '.html'), html);
}

const workspaceFolders = (): readonly string[] =>
  (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);

async function saveAs(name: string, html: string): Promise<void> {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    ...(root === undefined ? {} : { defaultUri: vscode.Uri.joinPath(root, name) }),
    filters: { HTML: ['html'] },
    title: t('Share result'),
  });
  if (target === undefined) return;
  try {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(html));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    void showErrorMessage(
      t('{0} could not be written ({1}). Fix: choose a different location.', target.path, why),
    );
    return;
  }
  const open = t('Open');
  const picked = await showInformationMessage(t('Saved {0}.', target.path), open);
  if (picked === open) await openPage(target);
}
