/**
 * *Export report*: writes the content of the explorer to files for a review, an issue or a paper.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Chart } from '../../core/charts/chart';
import { chartSvg } from '../../core/charts/chartSvg';
import { drawnCeilings } from '../../core/charts/drawnCeilings';
import { captionedRoofline } from '../../core/charts/rooflineCaption';
import { reportHtml } from '../../core/charts/reportPage';
import { rooflineChart } from '../../core/charts/rooflineChart';
import { scheduleName } from '../../core/plan/specKey';
import { problemName } from '../../core/spec/problemName';
import type { WorkspaceFiles } from '../abilities';
import { askWithWarning, showErrorMessage, showInformationMessage } from '../display/notify';
import { REPORT_FOLDER } from '../ids';
import { rooflineOfRun } from '../runs/lensText';
import type { FollowedKernel } from '../documents/ownKernel';
import { openPage } from './openPage';
import { factsOf, whenText } from '../runs/runText';
import { reportOf, runnableOf, type Report, type ReportFacts } from './reportOf';
import type { Shown } from '../documents/shown';
import { writableFolder } from '../workspace/writableFolder';

export interface ReportParts extends ReportFacts {
  readonly files: WorkspaceFiles;
}

const SIZE = { width: 800, height: 450 };

export async function exportReport(
  { spec, specFile }: Shown,
  followed: FollowedKernel | undefined,
  parts: ReportParts,
): Promise<void> {
  const folder = writableFolder(followed?.document ?? specFile);
  if (folder === undefined) {
    void showErrorMessage(
      t('No report was written. Fix: open a writable folder and export again.'),
    );
    return;
  }
  const subject = { spec, ...(followed === undefined ? {} : { followed }) };
  const report = reportOf(subject, parts);
  const runnable = runnableOf(subject, parts);
  if (typeof report === 'string' || runnable === null) {
    void showErrorMessage(typeof report === 'string' ? report : t('The kernel is unknown.'));
    return;
  }
  const roofline = rooflineOf(report);
  const facts = report.measurement === null ? [] : factsOf(report.measurement, []);
  const texts = {
    'report.html': reportHtml({ report, facts, runnable, roofline }),
    'report.json': `${JSON.stringify(report, null, 2)}\n`,
    'roofline.svg': chartSvg(roofline),
  };
  const written = await writeReport(folder, texts, parts.files);
  if (written === undefined) return;
  const open = t('Open');
  const message = t('Wrote {0}/report.html, report.json and roofline.svg.', REPORT_FOLDER);
  const picked = await showInformationMessage(message, open);
  if (picked === open) await openPage(written);
}

function rooflineOf({ analysis, measurement, levelRoofline, kernel }: Report): Chart {
  const measured = measurement === null ? undefined : rooflineOfRun(analysis, measurement);
  const isOfDevice = measured === undefined || measured === analysis.roofline;
  const roofline = isOfDevice ? analysis.roofline : measured;
  const roofs = isOfDevice && levelRoofline !== null ? drawnCeilings(levelRoofline) : [];
  const when = measurement === null ? undefined : whenText(measurement);
  return captionedRoofline(rooflineChart(roofline, SIZE, { roofs }), {
    roofline,
    roofs,
    title: t('Roofline of {0}', problemName(kernel.problem)),
    lines: [
      scheduleName(analysis.specKey),
      [roofline.machine, ...(when === undefined ? [] : [t('measured {0}', when)])].join(', '),
    ],
  });
}

/**
 * Writes the files and returns the URI of report.html. Asks for confirmation once before it
 * replaces existing files. Stops and returns undefined if the user declines or if a write fails.
 */
async function writeReport(
  folder: vscode.WorkspaceFolder,
  texts: Readonly<Record<string, string>>,
  { writeGenerated }: WorkspaceFiles,
): Promise<vscode.Uri | undefined> {
  const files = Object.entries(texts).map(([name, text]) => ({
    root: folder.uri,
    folder: REPORT_FOLDER,
    name,
    text,
  }));
  let replace = false;
  for (const file of files) {
    let result = await writeGenerated({ ...file, replace });
    if ('kept' in result) {
      const question = t('{0} already contains a report.', REPORT_FOLDER);
      const over = t('Replace');
      const picked = await askWithWarning(question, undefined, over);
      if (picked !== over) return undefined;
      replace = true;
      result = await writeGenerated({ ...file, replace });
    }
    if ('failed' in result) {
      void showErrorMessage(result.failed);
      return undefined;
    }
  }
  return vscode.Uri.joinPath(folder.uri, REPORT_FOLDER, 'report.html');
}
