/** *Export report*: what the explorer shows as files, for a review, an issue or a paper. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Analysis } from '../core/analysis/analysis';
import { analyze } from '../core/analysis/analyze';
import { chartSvg } from '../core/analysis/chartSvg';
import { rooflineChart } from '../core/analysis/rooflineChart';
import { DEFAULT_DEVICE, isDeviceId } from '../core/device/devices';
import { emit } from '../core/emit/emit';
import type { Measurement } from '../core/measure/measurement';
import { plan } from '../core/plan/planner';
import { check } from '../core/spec/check';
import type { GemmSpec, Target } from '../core/spec/schema';
import type { WorkspaceFiles } from './abilities';
import type { CompiledFacts } from './facts';
import { REPORT_FOLDER } from './ids';
import { isRunOf, rooflineOfRun } from './lensText';
import type { Shown } from './shown';
import { writableFolder } from './workspace';

export interface ReportParts {
  readonly files: WorkspaceFiles;
  readonly runs: () => readonly Measurement[];
  readonly factsOf: (source: string, entry: string, device: string) => CompiledFacts | undefined;
}

export interface Report {
  readonly spec: GemmSpec;
  readonly measurement: Measurement | null;
  readonly analysis: Analysis;
}

const SIZE = { width: 760, height: 460 };

export async function exportReport(shown: Shown, parts: ReportParts): Promise<void> {
  const folder = writableFolder(shown.specFile);
  if (folder === undefined) {
    void vscode.window.showErrorMessage(
      'Open a folder that can be written to: the report goes there.',
    );
    return;
  }
  const report = reportOf(shown.spec, parts);
  if (typeof report === 'string') {
    void vscode.window.showErrorMessage(report);
    return;
  }
  const { analysis, measurement } = report;
  const measured = measurement === null ? undefined : rooflineOfRun(analysis, measurement);
  const texts = {
    'report.json': `${JSON.stringify(report, null, 2)}\n`,
    'roofline.svg': chartSvg(rooflineChart(measured ?? analysis.roofline, SIZE)),
  };
  const written = await writeReport(folder, texts, parts.files);
  if (written === undefined) return;
  const open = 'Open';
  const message = t('Wrote {0}/report.json and {0}/roofline.svg.', REPORT_FOLDER);
  const picked = await vscode.window.showInformationMessage(message, open);
  if (picked === open) await vscode.window.showTextDocument(written);
}

/** The kernel whose newest run is the newest, else that of the first legal target. */
export function reportOf(spec: GemmSpec, parts: Omit<ReportParts, 'files'>): Report | string {
  const { resolved, legal, violations } = check(spec);
  const candidates = legal.flatMap((target: Target) => {
    const planned = plan(resolved, target);
    return planned.ok ? [emit(planned.plan)] : [];
  });
  const [first] = candidates;
  if (first === undefined) {
    return `Nothing to report: the spec is not legal. ${violations[0]?.message ?? ''}`;
  }
  const runs = parts.runs();
  const newestOf = (source: string): number => {
    const isOwn = isRunOf(source);
    return runs.findLastIndex(run => run.timing !== undefined && isOwn(run));
  };
  const anyOf = (source: string): number => runs.findLastIndex(isRunOf(source));
  const kernel = candidates.toSorted((a, b) => newestOf(b.source) - newestOf(a.source))[0] ?? first;
  const { source, entry } = kernel;
  const own = runs.filter(isRunOf(source));
  const newest = runs[newestOf(source)] ?? runs[anyOf(source)];
  const device = isDeviceId(resolved.device) ? resolved.device : DEFAULT_DEVICE;
  const facts = kernel.target === 'cuda' ? parts.factsOf(source, entry, device) : undefined;
  const analysis = analyze(kernel, {
    device,
    measurements: own,
    ...(facts === undefined ? {} : { resources: facts }),
  });
  return { spec, measurement: newest ?? null, analysis };
}

/** All or nothing: asks once before files of that name are replaced. */
async function writeReport(
  folder: vscode.WorkspaceFolder,
  texts: Readonly<Record<string, string>>,
  { writeGenerated }: WorkspaceFiles,
): Promise<vscode.Uri | undefined> {
  const files = Object.entries(texts).map(([name, text]) => ({
    ...{ root: folder.uri, folder: REPORT_FOLDER, name, text },
  }));
  let replace = false;
  for (const file of files) {
    let result = await writeGenerated({ ...file, replace });
    if ('kept' in result) {
      const question = `${REPORT_FOLDER} has a report already.`;
      const picked = await vscode.window.showWarningMessage(question, { modal: true }, 'Replace');
      if (picked !== 'Replace') return undefined;
      replace = true;
      result = await writeGenerated({ ...file, replace });
    }
    if ('failed' in result) {
      void vscode.window.showErrorMessage(result.failed);
      return undefined;
    }
  }
  return vscode.Uri.joinPath(folder.uri, REPORT_FOLDER, 'report.json');
}
