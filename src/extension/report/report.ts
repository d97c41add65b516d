/**
 * *Export report*: writes the content of the explorer to files for a review, an issue or a paper.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { captioned } from '../../core/charts/chartCaption';
import { chartSvg } from '../../core/charts/chartSvg';
import { drawnCeilings } from '../../core/charts/drawnCeilings';
import { rooflineChart } from '../../core/charts/rooflineChart';
import type { WorkspaceFiles } from '../abilities';
import { askWithWarning, showErrorMessage, showInformationMessage } from '../display/notify';
import { REPORT_FOLDER } from '../ids';
import { rooflineOfRun } from '../runs/lensText';
import type { FollowedKernel } from '../documents/ownKernel';
import { reportOf, type ReportFacts } from './reportOf';
import type { Shown } from '../documents/shown';
import { writableFolder } from '../workspace/writableFolder';

export interface ReportParts extends ReportFacts {
  readonly files: WorkspaceFiles;
}

const SIZE = { width: 760, height: 460 };

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
  const report = reportOf({ spec, ...(followed === undefined ? {} : { followed }) }, parts);
  if (typeof report === 'string') {
    void showErrorMessage(report);
    return;
  }
  const { analysis, measurement, levelRoofline } = report;
  const measured = measurement === null ? undefined : rooflineOfRun(analysis, measurement);
  const ceilings = levelRoofline === null ? [] : drawnCeilings(levelRoofline);
  const texts = {
    'report.json': `${JSON.stringify(report, null, 2)}\n`,
    'roofline.svg': chartSvg(
      captioned(
        measured === undefined || measured === analysis.roofline
          ? rooflineChart(analysis.roofline, SIZE, { roofs: ceilings })
          : rooflineChart(measured, SIZE),
        analysis.specKey,
      ),
    ),
  };
  const written = await writeReport(folder, texts, parts.files);
  if (written === undefined) return;
  const open = t('Open');
  const message = t('Wrote {0}/report.json and {0}/roofline.svg.', REPORT_FOLDER);
  const picked = await showInformationMessage(message, open);
  if (picked === open) await vscode.window.showTextDocument(written);
}

/**
 * Writes the files and returns the URI of report.json. Asks for confirmation once before it
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
  return vscode.Uri.joinPath(folder.uri, REPORT_FOLDER, 'report.json');
}
