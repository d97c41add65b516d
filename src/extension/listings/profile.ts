/**
 * *Import Nsight Compute report* and *Profile with Nsight Compute*: a preview of the counters next
 * to the analysis.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { isDeviceId, matchDevice, type DeviceId } from '../../core/hardware/devices';
import type { Runnable } from '../../core/kernel/kernel';
import { sourceHashOf } from '../../core/text/hash';
import { sourceOf } from '../../core/text/markdown';
import type { Measurement } from '../../core/measure/measurement';
import { inspectNcu } from '../../core/profile/ncu/inspect';
import { PERMISSION_PAGE } from '../../core/profile/ncu/refusal';
import { readNcu, mergeReports, type NcuReport } from '../../core/profile/ncu/report';
import type { Compiler } from '../toolchain/compileKernel';
import { showErrorMessage, showWarningMessage } from '../display/notify';
import { PTX_SCHEME } from '../ids';
import { withProgress } from './compile';
import { activeUri, subjectOf, type Subject } from './subject';
import type { ListingView } from './view';
import { ncuMarkdown } from './ncuMarkdown';
import { settings } from '../shared/settings';
import type { Shown } from '../documents/shown';
import type { ToolChain } from '../toolchain/toolChain';
import type { Guard } from '../trust/guard';

export interface ProfileParts {
  readonly view: ListingView;
  readonly toolChain: ToolChain;
  readonly compiler: Compiler;
  readonly guard: Guard;
  readonly shown: () => Shown | undefined;
  readonly runs: () => readonly Measurement[];
}

/** Maximum size of a report in bytes. A report with all counters of one kernel has about 60 kB. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Imports a report and shows it. `uri` is a report on the active kernel, or a kernel or spec whose
 * report a dialog selects. Restricted Mode allows the import, because it only reads files.
 */
export async function importNcu(uri: vscode.Uri | undefined, parts: ProfileParts): Promise<void> {
  const isReport = uri !== undefined && /\.csv$/i.test(uri.path);
  const about = await kernelAt(isReport ? activeUri(undefined) : uri, parts);
  if (about === undefined) return;
  const files = isReport ? [uri] : await promptReport(about.subject.name);
  const reports: NcuReport[] = [];
  for (const file of files) {
    const { size } = await vscode.workspace.fs.stat(file);
    if (size > MAX_BYTES) {
      void showErrorMessage(
        t('The report was not imported. Fix: choose a report of at most 64 MiB.'),
      );
      return;
    }
    const read = readNcu(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)));
    if (!read.ok) {
      void showErrorMessage(`${read.why} ${read.next}`);
      return;
    }
    reports.push(read.report);
  }
  if (reports.length > 0) await show(mergeReports(reports), about, parts);
}

/**
 * Prompts for the report files of one profile: the raw page and the source page. Returns an empty
 * list if the dialog is dismissed.
 */
async function promptReport(name: string): Promise<readonly vscode.Uri[]> {
  const chosen = await vscode.window.showOpenDialog({
    title: t('GEMM: report of {0}', name),
    openLabel: t('Import'),
    canSelectMany: true,
    filters: { [t('CSV of the raw and source pages (ncu --csv)')]: ['csv', 'txt', 'log'] },
  });
  return chosen ?? [];
}

export async function profileKernel(
  uri: vscode.Uri | undefined,
  parts: ProfileParts,
): Promise<void> {
  const about = await kernelAt(uri, parts);
  const { profile } = parts.toolChain.abilities;
  if (about === undefined) return;
  await parts.guard(t('Profiling a kernel'), async () => {
    if (profile === undefined) {
      void showWarningMessage(
        t('Profiling is not available here. Fix: import a report that ncu created elsewhere.'),
      );
      return;
    }
    const stages = { compile: t('compiling'), profile: t('running under Nsight Compute') };
    const title = t('Profiling {0}', about.subject.name);
    const made = await withProgress(title, (signal, stage) =>
      profile(about.runnable, {
        signal,
        compileTimeoutMs: settings.compileTimeoutMs(),
        onProgress: name => {
          stage(name === 'compile' ? stages.compile : stages.profile);
        },
      }),
    );
    if (made.ok) await show(made.report, about, parts);
    else if (made.outcome !== 'cancelled') await showFailure(`${made.why} ${made.next}`.trim());
  });
}

/**
 * Shows the error. If the text ends with the URL of NVIDIA's permission page, it adds a button that
 * opens the page.
 */
async function showFailure(text: string): Promise<void> {
  const hasPage = text.endsWith(PERMISSION_PAGE);
  const open = t('Open NVIDIA page');
  const picked = await showErrorMessage(text, ...(hasPage ? [open] : []));
  if (picked === open) {
    await vscode.env.openExternal(vscode.Uri.parse(PERMISSION_PAGE, true));
  }
}

interface About {
  readonly subject: Subject;
  readonly runnable: Runnable;
}

async function kernelAt(
  uri: vscode.Uri | undefined,
  { shown }: ProfileParts,
): Promise<About | undefined> {
  const found = await subjectOf(uri, shown());
  if (!found.ok) {
    void showWarningMessage(found.why);
    return undefined;
  }
  const { subject } = found;
  if (subject.runnable !== undefined) return { subject, runnable: subject.runnable };
  void showWarningMessage(
    t(
      'No launch description: {0}. Fix: add a // @gemm comment (GEMM: Analyze kernel).',
      subject.name,
    ),
  );
  return undefined;
}

async function show(
  report: NcuReport,
  { subject, runnable }: About,
  { view, compiler, runs }: ProfileParts,
): Promise<void> {
  const device = deviceOf(report, subject);
  const resources = compiler.factsOf(runnable.source, runnable.entry, device);
  const sourceHash = sourceHashOf(runnable);
  const inspection = inspectNcu(report, runnable, {
    device,
    measurements: runs().filter(run => run.sourceHash === sourceHash),
    ...(resources === undefined ? {} : { resources }),
    ...(resources?.accesses === undefined ? {} : { accesses: resources.accesses }),
  });
  if (!inspection.ok) {
    void showErrorMessage(inspection.why);
    return;
  }
  const name = `${subject.name.replace(/\.cuh?$/i, '')}.nsight-compute.md`;
  const uri = vscode.Uri.from({ scheme: PTX_SCHEME, path: `/${name}` });
  view.keep(uri, sourceOf(ncuMarkdown(subject.name, inspection)));
  await vscode.commands.executeCommand('markdown.showPreview', uri).then(undefined, async () => {
    // The built-in Markdown extension may be disabled.
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside });
  });
}

/**
 * Returns the device that the report names, or else the device of the subject or of the settings.
 */
function deviceOf({ kernels }: NcuReport, { device }: Subject): DeviceId {
  const profiled = kernels.flatMap(({ device: name }) => matchDevice(name ?? '') ?? [])[0];
  const named = profiled ?? device;
  return isDeviceId(named) ? named : settings.device();
}
