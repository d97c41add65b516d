/** Actions on a run: open, run again, delete, copy as Markdown. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { sourceOf } from '../../core/text/markdown';
import { shortName } from '../../core/plan/shortName';
import { toSpec } from '../../core/spec/toSpec';
import {
  askWithWarning,
  showInformationMessage,
  showStatusNote,
  showWarningMessage,
} from '../display/notify';
import type { Explorer } from '../explorer/explorer';
import { runJob, type RunParts } from './runCommands';
import type { RunStore, StoredRun } from '../history/runStore';
import type { Shown } from '../documents/shown';
import { findText, type FoundText } from './findText';
import { runsTable } from './markdown';
import { kernelOfRun } from './runFacts';
import { kernelName, outcomeText } from './runText';

/**
 * Opens the spec of a run in the explorer, or the file of a kernel without a spec. Shows a warning
 * if there is no such file.
 */
export async function openRun(run: StoredRun, explorer: Explorer): Promise<void> {
  const shown = shownOfRun(run);
  if (shown !== undefined) {
    explorer.open(shown, { focus: 'top' });
    return;
  }
  const found = await findText(run.measurement);
  if (found === undefined) showTextGone(run);
  else await vscode.window.showTextDocument(found.uri);
}

/** Returns the explorer content of a run; undefined for a kernel without a spec. */
export function shownOfRun({
  measurement: { resolved, backend },
}: Pick<StoredRun, 'measurement'>): Shown | undefined {
  if (resolved === null) return undefined;
  const spec = toSpec(resolved);
  delete spec.targets;
  const target = backend === 'webgpu' ? ({ target: 'wgsl' } as const) : undefined;
  const cuda = backend === 'cuda' || backend === 'cpu' ? ({ target: 'cuda' } as const) : undefined;
  return { spec, name: shortName(resolved), ...target, ...cuda };
}

/**
 * Repeats a run with the same source and backend, timed if the run was timed. Shows a warning if
 * the source is no longer available.
 */
export async function rerun(run: StoredRun, parts: RunParts): Promise<void> {
  const { backend, timing } = run.measurement;
  const kernel = kernelOfRun(run.measurement);
  const found: Partial<FoundText> | undefined =
    kernel === null ? await findText(run.measurement) : { runnable: kernel };
  if (found?.runnable === undefined) {
    showTextGone(run);
    return;
  }
  const mode = timing === undefined ? 'verify' : 'time';
  const job = { runnable: found.runnable, mode, backend, shown: shownOfRun(run) } as const;
  await runJob(job, found.uri ?? run.folder, parts);
}

function showTextGone({ measurement }: StoredRun): void {
  const hash = measurement.sourceHash?.slice(0, 12) ?? t('not recorded');
  void showWarningMessage(
    t(
      'No kernel file in this workspace contains the source of this run ({0}, SHA-256 {1}): it was edited or removed. Fix: run the kernel file to measure its current source.',
      kernelName(measurement),
      hash,
    ),
  );
}

export async function deleteRuns(runs: readonly StoredRun[], store: RunStore): Promise<void> {
  const [first] = runs;
  if (first === undefined) return;
  const message =
    runs.length === 1
      ? t('Delete the run of {0}?', kernelName(first.measurement))
      : t('Delete {0} runs?', runs.length);
  const files = [...new Set(runs.flatMap(run => run.files))];
  const detail = [
    outcomes(runs),
    files.length === 0
      ? t('Runs that were not saved are discarded.')
      : t(
          'A deletion record is appended to {0}. No existing line is changed or removed.',
          listed(files),
        ),
  ].join('\n');
  const remove = t('Delete');
  const picked = await askWithWarning(message, detail, remove);
  if (picked !== remove) return;
  const takeBack = await store.remove(runs);
  const undo = t('Undo');
  const done = runs.length === 1 ? t('1 run deleted.') : t('{0} runs deleted.', runs.length);
  void showInformationMessage(done, undo).then(async answer => {
    if (answer === undo) await takeBack();
  });
}

/** Returns the counts of outcomes, such as `3 correct, 1 wrong result`. */
function outcomes(runs: readonly StoredRun[]): string {
  const counts = new Map<string, number>();
  for (const { measurement } of runs) {
    const name = outcomeText(measurement.outcome);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}

const MAX_NAMES = 5;
const listed = (names: readonly string[]): string =>
  names.length <= MAX_NAMES ? names.join(', ') : t('{0} files', names.length);

export async function deleteFailed(store: RunStore): Promise<void> {
  const failed = store.runs().filter(({ measurement }) => measurement.outcome !== 'correct');
  if (failed.length > 0) await deleteRuns(failed, store);
  else void showInformationMessage(t('There are no failed runs.'));
}

export async function copyMarkdown(runs: readonly StoredRun[]): Promise<void> {
  if (runs.length === 0) return;
  await vscode.env.clipboard.writeText(
    sourceOf(runsTable(runs.map(({ measurement }) => measurement))),
  );
  showStatusNote(
    runs.length === 1 ? t('1 run copied as Markdown') : t('{0} runs copied', runs.length),
    3000,
  );
}
