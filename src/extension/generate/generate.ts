/** *Generate tiled GEMM*: writes the kernels of a spec to the workspace and opens them. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { emit } from '../../core/kernel/emit';
import type { Kernel } from '../../core/kernel/kernel';
import { checkAndPlan } from '../../core/defaults/check';
import { resolve } from '../../core/defaults/resolve';
import { shortName } from '../../core/plan/shortName';
import { sameJson } from '../../core/spec/sameJson';
import { toSpec } from '../../core/spec/toSpec';
import type { GemmSpec } from '../../core/spec/schema';
import type { WorkspaceFiles } from '../abilities';
import type { Compiler } from '../toolchain/compileKernel';
import { showErrorMessage, showInformationMessage } from '../display/notify';
import { SPEC_ENDING } from '../ids';
import { generatedStem, kernelFileName } from '../workspace/generatedNames';
import { keepOrWrite } from '../workspace/keepOrWrite';
import { isSpec } from '../documents/kernelDocument';
import { offerRepair } from '../specs/offerRepair';
import { settings } from '../shared/settings';
import { shownOf, type Shown } from '../documents/shown';
import { specText } from '../specs/specFile';
import { writableFolder } from '../workspace/writableFolder';
import { promptSpec } from './wizard';

export interface GenerateParts {
  readonly compiler: Compiler;
  readonly files: WorkspaceFiles;
  /** Resolves to false if CUDA kernels do not run here. */
  readonly mayHaveCuda: () => Promise<boolean>;
  readonly log: vscode.LogOutputChannel;
  /** Called with the content of the spec file after all files were written. */
  readonly onGenerated: (shown: Shown) => void;
}

/**
 * Generates the kernels of the spec file in the argument or the active editor. Without a spec file,
 * opens the wizard.
 */
export async function generateFrom(
  uri: vscode.Uri | undefined,
  parts: GenerateParts,
): Promise<void> {
  const document =
    uri === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(uri);
  if (document !== undefined && isSpec(document)) {
    const read = shownOf(document);
    if (read.ok) await generate(read.shown, parts);
    else void showErrorMessage(read.reason);
    return;
  }
  const requested = await promptSpec(parts.mayHaveCuda());
  if (requested === undefined) return;
  const resolved = resolve(requested);
  // The spec file lists every tile parameter for editing. `generate` reports a spec without a legal
  // target.
  const spec = resolved.targets.length === 0 ? requested : toSpec(resolved);
  await generate({ spec, name: `${shortName(resolved)}${SPEC_ENDING}` }, parts);
}

export async function generate(shown: Shown, parts: GenerateParts): Promise<void> {
  const { spec, specFile } = shown;
  const { report, plans } = checkAndPlan(spec);
  if (!report.ok) {
    const [first] = report.violations;
    const why = first === undefined ? '' : ` ${first.path}: ${first.message}`;
    const message = `${t('Nothing was generated: the spec is invalid.')}${why}`;
    // Not awaited: the notification may stay open for hours.
    void offerRepair(message, shown, legal => generate(legal, parts));
    return;
  }
  const kernels = report.legal.flatMap(target => {
    const planned = plans[target];
    return planned.ok ? [emit(planned.plan)] : [];
  });
  const folder = writableFolder(specFile);
  if (!vscode.workspace.isTrusted || folder === undefined) {
    await preview(spec, kernels, specFile === undefined);
    return;
  }
  const output = settings.outputFolder();
  const stem = await generatedStem(spec, vscode.Uri.joinPath(folder.uri, output), {
    ...(specFile === undefined ? {} : { specFile }),
    ...(shown.target !== undefined && shown.document !== undefined && sameJson(spec, shown.written)
      ? { kernelFile: shown.document }
      : {}),
  });
  const files = [
    ...(specFile === undefined ? [{ name: `${stem}${SPEC_ENDING}`, text: specText(spec) }] : []),
    // Open the first target last, so that it is the active editor.
    ...kernels
      .map(({ target, source }) => ({ name: kernelFileName(stem, target), text: source }))
      .toReversed(),
  ];
  let specDocument =
    specFile === undefined ? undefined : await vscode.workspace.openTextDocument(specFile);
  for (const file of files) {
    const target = { root: folder.uri, folder: output, ...file };
    const written = await keepOrWrite(target, parts.files);
    // The remaining files would fail for the same reason, so report the error once.
    if (written === undefined) return;
    parts.log.info(`Wrote ${written.fsPath}`);
    const document = await open(written);
    specDocument ??= document;
    void parts.compiler.compile(document);
  }
  const read = specDocument === undefined ? undefined : shownOf(specDocument);
  if (read?.ok === true) parts.onGenerated(read.shown);
}

async function open(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const viewColumn = vscode.ViewColumn.One;
  await vscode.window.showTextDocument(document, { preview: false, viewColumn });
  return document;
}

/** Opens the kernels as untitled documents and explains why no files were written. */
async function preview(
  spec: GemmSpec,
  kernels: readonly Kernel[],
  withSpec: boolean,
): Promise<void> {
  const texts = [
    ...(withSpec ? [{ language: 'json', content: specText(spec) }] : []),
    ...kernels
      .map(({ target, source }) => ({
        language: target === 'cuda' ? 'cuda-cpp' : 'wgsl',
        content: source,
      }))
      .toReversed(),
  ];
  for (const text of texts) {
    const document = await vscode.workspace.openTextDocument(text);
    const viewColumn = vscode.ViewColumn.One;
    await vscode.window.showTextDocument(document, { preview: false, viewColumn });
  }
  if (vscode.workspace.isTrusted) {
    void showInformationMessage(
      t('Previews only. To write the files, open a writable folder and generate again.'),
    );
    return;
  }
  const manage = t('Manage Workspace Trust');
  const picked = await showInformationMessage(
    t('Previews only: Restricted Mode does not write files. Trust the workspace to write them.'),
    manage,
  );
  if (picked === manage) await vscode.commands.executeCommand('workbench.trust.manage');
}
