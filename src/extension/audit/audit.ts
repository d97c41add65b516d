/** *Audit shapes*: benchmarks a list of shapes beside the libraries, and writes the ranking. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { predictShapes } from '../../core/audit/predicted';
import { summaryOf } from '../../core/audit/summary';
import { shapeName, verdictText } from '../../core/audit/words';
import { nextCommand, specFileName } from '../../core/audit/next';
import { SPECS_FOLDER } from '../../core/audit/files';
import type { ShapeResult } from '../../core/audit/result';
import type { AuditDone, AuditEnd } from '../../host/audit/run';
import { showErrorMessage, showProgress, showWarningMessage } from '../display/notify';
import { adoptedFor } from '../documents/adoptedRows';
import { AUDIT_FOLDER } from '../ids';
import { settings } from '../shared/settings';
import { writableFolder } from '../workspace/writableFolder';
import { promptList, readList, type ReadList } from './list';
import type { AuditParts } from './register';
import { writeAudit } from './write';

export async function auditShapes(given: vscode.Uri | undefined, parts: AuditParts): Promise<void> {
  const uri = given ?? (await promptList());
  if (uri === undefined) return;
  const folder = writableFolder(uri);
  if (folder === undefined) {
    void showErrorMessage(t('No audit was started. Fix: open a writable folder and start again.'));
    return;
  }
  const read = await readList(uri);
  if (read === undefined) return;
  const how = await howToTime(parts);
  if (how === undefined) return;
  const ended = await withProgress(read, parts, how);
  if (!ended.ok) {
    if (ended.outcome !== 'cancelled') void showErrorMessage(ended.message);
    return;
  }
  await writeAudit(folder, ended.results, summarize(read, ended), parts);
}

type How = 'measure' | 'predict';

/** Predicts only if the user chooses it. Returns undefined if the message is dismissed. */
async function howToTime({ abilities, toolchain }: AuditParts): Promise<How | undefined> {
  const cuda = await toolchain.toolChain.probeCuda();
  if (cuda.available && abilities.audit !== undefined) return 'measure';
  const why = cuda.available ? '' : `${cuda.why} ${cuda.next}`;
  const predict = t('Predict without measuring');
  const picked = await showWarningMessage(
    t('The shapes cannot be measured here. {0}', why),
    predict,
  );
  return picked === predict ? 'predict' : undefined;
}

function withProgress(read: ReadList, parts: AuditParts, how: How): Thenable<AuditEnd> {
  const { shapes, name } = read;
  const title =
    how === 'measure' ? t('Auditing {0}', name) : t('Predicting the shapes of {0}', name);
  const options = {
    location: vscode.ProgressLocation.Notification,
    cancellable: true,
    title,
  };
  return showProgress(options, (progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => {
      controller.abort();
    });
    const report = (message: string, increment = 0): void => {
      progress.report({ message, increment });
    };
    const onResult = (result: ShapeResult, done: number): void => {
      const words = t(
        '{0} of {1}: {2}, {3}',
        done,
        shapes.length,
        shapeName(result),
        verdictText(result.verdict),
      );
      report(words, 100 / shapes.length);
    };
    const run = { abort: controller.signal, report, onResult };
    return how === 'measure' ? measure(read, parts, run) : predict(read, run);
  });
}

interface Run {
  readonly abort: AbortSignal;
  readonly report: (message: string) => void;
  readonly onResult: (result: ShapeResult, done: number) => void;
}

/** Runs the audit after earlier jobs on the GPU, because a GPU measures one job at a time. */
function measure(
  { uri, shapes }: ReadList,
  { abilities, runs }: AuditParts,
  { abort, report, onResult }: Run,
): Promise<AuditEnd> {
  const cancelled: AuditEnd = { ok: false, outcome: 'cancelled', message: t('Cancelled.') };
  const tables = adoptedFor(uri);
  return runs.queueOf(`GPU ${settings.cudaDevice()}`).run(
    async () => {
      if (abort.aborted || abilities.audit === undefined) return cancelled;
      const wanted = { shapes, file: uri, ...(tables === undefined ? {} : { tables }) };
      return await abilities.audit(wanted, {
        abort,
        progress: report,
        onResult: ({ result, done }) => {
          onResult(result, done);
        },
      });
    },
    () => {
      report(t('Waiting for the previous run'));
    },
  );
}

async function predict({ uri, shapes }: ReadList, { abort, onResult }: Run): Promise<AuditEnd> {
  const began = performance.now();
  const tables = adoptedFor(uri);
  const options = { device: settings.device(), ...(tables === undefined ? {} : { tables }) };
  const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));
  const predicted = await predictShapes(shapes, options, { abort, pause, onResult });
  const seconds = (performance.now() - began) / 1000;
  return { ok: true, ...predicted, notes: [], seconds };
}

const summarize = (
  { list, name }: ReadList,
  { results, place, ended, notes, seconds }: AuditDone,
) =>
  summaryOf({
    place: { file: name, format: list.format, ...place },
    ended,
    entries: list.entries.length,
    results,
    issues: list.issues,
    notes: [...list.notes, ...notes],
    seconds,
    nextOf: result => {
      const spec = specFileName(result);
      return spec === null ? null : nextCommand(result, `${AUDIT_FOLDER}/${SPECS_FOLDER}/${spec}`);
    },
  });
