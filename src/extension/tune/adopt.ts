/** *Adopt*: the winner of a tune as files beside its spec, and as the default of its shape and device in the workspace. */
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
import { keepOrWrite } from '../workspace/keepOrWrite';
import { settings } from '../shared/settings';
import { specText } from '../specs/specFile';
import { writableFolder } from '../workspace/writableFolder';

/** What came of a tune, with what it was of. */
export interface Tuned {
  readonly spec: ResolvedSpec;
  readonly summary: TuneSummary;
  /** Of the spec, where it is a file. */
  readonly specFile: vscode.Uri | undefined;
  readonly key: TuneSubject;
}

/** The tuned spec with the winner's schedule; undefined where there is no winner. */
export function winnerSpec({ spec, summary: { winner, place } }: Tuned): GemmSpec | undefined {
  if (winner === null) return undefined;
  return toSpec({ ...spec, schedule: winner.schedule, targets: [place.target] });
}

/** The winner's spec file; undefined when not all was written, which has been said. */
export async function adopt(tuned: Tuned, files: WorkspaceFiles): Promise<vscode.Uri | undefined> {
  const { spec, summary, specFile } = tuned;
  const { winner, place, journal = '' } = summary;
  const folder = writableFolder(specFile);
  const row = rowOfTune(summary, journal.split(/[\\/]/).at(-1) ?? '');
  const adopted = winnerSpec(tuned);
  if (winner === null || row === null || adopted === undefined) return undefined;
  if (folder === undefined) {
    sayFailed(t('open a folder that can be written to, and adopt again'));
    return undefined;
  }
  const planned = plan({ ...spec, schedule: winner.schedule }, place.target);
  if (!planned.ok) throw new Error(`${winner.specKey} was measured and is not legal`);
  const kernel = emit(planned.plan);
  const where = { root: folder.uri, folder: folderOf(specFile, folder.uri) };
  const written: vscode.Uri[] = [];
  for (const file of [
    { name: `${winner.specKey}${SPEC_ENDING}`, text: specText(adopted) },
    { name: kernel.fileName, text: kernel.source },
  ]) {
    const uri = await keepOrWrite({ ...where, ...file }, files);
    if (uri === undefined) return undefined;
    written.push(uri);
  }
  const taken = await files.adoptRow(folder.uri, row);
  if ('failed' in taken) {
    sayFailed(taken.failed);
    return undefined;
  }
  return written[0];
}

/** Below the root: the spec's own, or that of generated files. */
function folderOf(specFile: vscode.Uri | undefined, root: vscode.Uri): string {
  const own = specFile === undefined ? undefined : vscode.Uri.joinPath(specFile, '..');
  const base = root.path.endsWith('/') ? root.path : `${root.path}/`;
  return own !== undefined && `${own.path}/`.startsWith(base)
    ? own.path.slice(base.length)
    : settings.outputFolder();
}

const sayFailed = (why: string): void => {
  void showErrorMessage(t('The winner was not adopted: {0}', why));
};
