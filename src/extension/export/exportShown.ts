/** *Export to project*: prompts for the target and the folder, and writes the project. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { planSpec } from '../../core/defaults/check';
import { exportProject } from '../../core/export/exportProject';
import { withTimes } from '../../core/export/measured';
import {
  kernelTarget,
  subjectOf,
  type ExportSubject,
  type ExportTarget,
} from '../../core/export/subject';
import { emit } from '../../core/kernel/emit';
import { isFileName } from '../../core/kernel/file/fileName';
import type { Measurement } from '../../core/measure/measurement';
import type { GemmSpec } from '../../core/spec/schema';
import type { WorkspaceFiles } from '../abilities';
import { askWithWarning, showErrorMessage, showInformationMessage } from '../display/notify';
import { showInputBox, showQuickPick, type PickItem } from '../display/picks';
import type { Shown } from '../documents/shown';
import { settings } from '../shared/settings';
import { writableFolder } from '../workspace/writableFolder';
import { findConflicts, writeProject } from './projectFiles';

export interface ExportFacts {
  readonly files: WorkspaceFiles;
  readonly runs: () => readonly Measurement[];
  readonly version: string;
}

/** Number of edited files that a prompt lists. */
const MOST_LISTED = 10;

export async function exportShown(
  { spec, document, specFile }: Shown,
  { files, runs, version }: ExportFacts,
): Promise<void> {
  const root = writableFolder(specFile ?? document);
  if (root === undefined) {
    void showErrorMessage(
      t('No project was exported. Fix: open a writable folder and export again.'),
    );
    return;
  }
  const target = await pickTarget();
  if (target === undefined) return;
  const subject = subjectFor(spec, target, { runs: runs(), version });
  if (typeof subject === 'string') {
    void showErrorMessage(subject);
    return;
  }
  const exported = exportProject(target, subject);
  if (!exported.ok) {
    void showErrorMessage(exported.reason);
    return;
  }
  const folder = await pickFolder(`${settings.outputFolder()}/${subject.name}-${target}`);
  if (folder === undefined) return;
  const place = { root: root.uri, folder };
  const { conflicts, owned } = await findConflicts(exported.files, place);
  if (conflicts.length > 0 && !(await mayReplace(folder, conflicts))) return;
  const replaced = new Set([...owned, ...conflicts]);
  const failed = await writeProject(exported.files, { ...place, replaced }, files);
  if (failed !== undefined) {
    void showErrorMessage(failed);
    return;
  }
  await report(
    exported.files.map(file => file.path),
    place,
  );
}

async function pickTarget(): Promise<ExportTarget | undefined> {
  const items: readonly (PickItem & { readonly target: ExportTarget })[] = [
    { target: 'pytorch', label: 'PyTorch', detail: t('Python package with an operator (CUDA)') },
    { target: 'cpp', label: 'C++', detail: t('CMake library with a header and a test (CUDA)') },
    { target: 'npm', label: 'npm', detail: t('ES module for a WebGPU device (WGSL)') },
    { target: 'cupy', label: 'CuPy', detail: t('Python file that loads the kernels (CUDA)') },
  ];
  const picked = await showQuickPick(items, {
    title: t('Export to project'),
    placeHolder: t('Target'),
  });
  return picked?.target;
}

/** Returns the subject of the export, or the reason why the spec is not legal for the target. */
function subjectFor(
  spec: GemmSpec,
  target: ExportTarget,
  { runs, version }: { readonly runs: readonly Measurement[]; readonly version: string },
): ExportSubject | string {
  const language = kernelTarget(target);
  const planned = planSpec({ ...spec, targets: [language] }, language);
  if (!planned.ok) {
    const [violation] = planned.violations;
    return `${violation?.path ?? ''}: ${violation?.message ?? ''}`;
  }
  const found = subjectOf(withTimes([emit(planned.plan)], runs), { version });
  return found.ok ? found.subject : found.reason;
}

async function pickFolder(proposed: string): Promise<string | undefined> {
  const other = { label: t('Other folder…'), isOther: true };
  const picked = await showQuickPick([{ label: proposed, isOther: false }, other], {
    title: t('Export to project'),
    placeHolder: t('Folder inside the workspace folder'),
  });
  if (picked?.isOther !== true) return picked === undefined ? undefined : proposed;
  return await showInputBox({
    title: t('Export to project'),
    prompt: t('Folder inside the workspace folder'),
    value: proposed,
    validateInput: text =>
      text.split('/').every(isFileName)
        ? null
        : t('Expected folder names of letters, digits, _, - and . that are separated by /.'),
  });
}

async function mayReplace(folder: string, conflicts: readonly string[]): Promise<boolean> {
  const more = conflicts.length - MOST_LISTED;
  const listed = [
    ...conflicts.slice(0, MOST_LISTED),
    ...(more > 0 ? [t('and {0} more', more)] : []),
  ].join('\n');
  const over = t('Replace');
  const question = t(
    'Files in {0} were edited, or are not part of an earlier export. Replacing them discards their content.',
    folder,
  );
  return (await askWithWarning(question, listed, over)) === over;
}

async function report(
  paths: readonly string[],
  { root, folder }: { readonly root: vscode.Uri; readonly folder: string },
): Promise<void> {
  const first = paths.find(name => name === 'README.md') ?? paths[0] ?? '';
  const open = t('Open {0}', first);
  const message = t('Wrote {0} files to {1}.', paths.length, folder);
  if ((await showInformationMessage(message, open)) !== open) return;
  await vscode.window.showTextDocument(vscode.Uri.joinPath(root, folder, first));
}
