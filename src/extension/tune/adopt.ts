/**
 * *Adopt*: writes the winner of a tuning run next to its spec, and makes it the workspace default
 * for its problem shape and device.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { emit } from '../../core/kernel/emit';
import { plan } from '../../core/plan/planner';
import { toSpec } from '../../core/spec/toSpec';
import type { ResolvedSpec } from '../../core/spec/resolved';
import type { GemmSpec } from '../../core/spec/schema';
import { rowOfTune } from '../../core/search/tune/adopted';
import type { TuneSummary } from '../../core/search/tune/events';
import type { TuneSubject } from '../../core/search/tune/shown';
import type { WorkspaceFiles } from '../abilities';
import { showErrorMessage } from '../display/notify';
import { SPEC_ENDING } from '../ids';
import { generatedStem, kernelFileName } from '../workspace/generatedNames';
import { keepOrWrite } from '../workspace/keepOrWrite';
import { settings } from '../shared/settings';
import { specText } from '../specs/specFile';
import { writableFolder } from '../workspace/writableFolder';

export interface Tuned {
  readonly spec: ResolvedSpec;
  readonly summary: TuneSummary;
  readonly specFile: vscode.Uri | undefined;
  readonly key: TuneSubject;
}

/** Returns the tuned spec with the schedule of the winner; undefined without a winner. */
export function winnerSpec({ spec, summary: { winner, place } }: Tuned): GemmSpec | undefined {
  if (winner === null) return undefined;
  return toSpec({ ...spec, schedule: winner.schedule, targets: [place.target] });
}

/**
 * Writes the spec, the kernel and the dispatch row of the winner, and returns the spec file.
 * Returns undefined without a winner, or after a failure, which is shown.
 */
export async function adopt(tuned: Tuned, files: WorkspaceFiles): Promise<vscode.Uri | undefined> {
  const { spec, summary, specFile } = tuned;
  const { winner, place, journal = '' } = summary;
  const folder = writableFolder(specFile);
  const row = rowOfTune(summary, journal.split(/[\\/]/).at(-1) ?? '');
  const adopted = winnerSpec(tuned);
  if (winner === null || row === null || adopted === undefined) return undefined;
  if (folder === undefined) {
    showFailed(t('there is no writable folder. Fix: open a writable folder and adopt again.'));
    return undefined;
  }
  const planned = plan({ ...spec, schedule: winner.schedule }, place.target);
  if (!planned.ok) throw new Error(`${winner.specKey} was measured but is not legal`);
  const kernel = emit(planned.plan);
  const where = { root: folder.uri, folder: folderOf(specFile, folder.uri) };
  const stem = await generatedStem(adopted, vscode.Uri.joinPath(folder.uri, where.folder), {});
  const written: vscode.Uri[] = [];
  for (const file of [
    { name: `${stem}${SPEC_ENDING}`, text: specText(adopted) },
    { name: kernelFileName(stem, kernel.target), text: kernel.source },
  ]) {
    const uri = await keepOrWrite({ ...where, ...file }, files);
    if (uri === undefined) return undefined;
    written.push(uri);
  }
  const taken = await files.adoptRow(folder.uri, row);
  if ('failed' in taken) {
    showFailed(taken.failed);
    return undefined;
  }
  return written[0];
}

/**
 * Returns the path of the spec's folder relative to the root if the root contains it, or else the
 * folder of generated files.
 */
function folderOf(specFile: vscode.Uri | undefined, root: vscode.Uri): string {
  const own = specFile === undefined ? undefined : vscode.Uri.joinPath(specFile, '..');
  const base = root.path.endsWith('/') ? root.path : `${root.path}/`;
  return own !== undefined && `${own.path}/`.startsWith(base)
    ? own.path.slice(base.length)
    : settings.outputFolder();
}

const showFailed = (why: string): void => {
  void showErrorMessage(t('The winner was not adopted: {0}', why));
};
