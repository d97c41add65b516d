/**
 * *Compare runs*: a chart of the rates, a table of differences and the changed lines of the
 * kernels, as one Markdown preview.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { hashText } from '../../core/text/hash';
import { chartTheme } from '../display/chartTheme';
import { icon, icons } from '../display/iconLabel';
import { showInformationMessage } from '../display/notify';
import { showQuickPicks } from '../display/picks';
import { sourceOf, type Markdown } from '../../core/text/markdown';
import { COMPARISON_SCHEME } from '../ids';
import type { StoredRun } from '../history/runStore';
import { findText } from './findText';
import { comparison, MAX_COMPARED } from './markdown';
import { kernelOfRun } from './runFacts';
import { descriptionOf, OUTCOME_ICONS, runLabel } from './runText';

/** Maximum number of cached documents, which VS Code may reopen. */
const MAX_TEXTS = 100;

export class Comparisons implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration: vscode.Disposable;

  constructor() {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(COMPARISON_SCHEME, {
      provideTextDocumentContent: ({ path }) =>
        this.texts.get(path) ?? t('This document is no longer cached. Fix: run its command again.'),
    });
  }

  dispose(): void {
    this.registration.dispose();
  }

  /**
   * Stores a document and returns its URI. Equal documents with the same name have the same URI, so
   * each document is opened only once.
   */
  private address(name: string, text: string): vscode.Uri {
    const path = `/${hashText(text).slice(0, 12)}/${name}`;
    if (this.texts.size >= MAX_TEXTS) this.texts.delete(this.texts.keys().next().value ?? '');
    this.texts.set(path, text);
    return vscode.Uri.from({ scheme: COMPARISON_SCHEME, path });
  }

  async show(runs: readonly StoredRun[]): Promise<void> {
    const [one, other] = runs;
    if (one === undefined || other === undefined) {
      void showInformationMessage(t('Select two or more runs to compare.'));
      return;
    }
    if (runs.length > MAX_COMPARED) {
      void showInformationMessage(
        t('At most {0} runs can be compared; {1} are selected.', MAX_COMPARED, runs.length),
      );
      return;
    }
    const sources = runs.length === 2 ? await sourcesOf(one, other) : undefined;
    const text = comparison(
      runs.map(({ measurement }) => measurement),
      { theme: chartTheme(), ...(sources === undefined ? {} : { sources }) },
    );
    await this.showText(`${t('Compared runs')}.md`, text);
  }

  /**
   * Shows a text as a Markdown preview, or in a text editor if no preview is available.
   * @param preview command that opens the preview
   */
  async showText(
    name: string,
    text: Markdown,
    preview: 'markdown.showPreview' | 'markdown.showPreviewToSide' = 'markdown.showPreview',
  ): Promise<void> {
    const uri = this.address(name, sourceOf(text));
    await vscode.commands.executeCommand(preview, uri).then(undefined, async () => {
      // The built-in Markdown extension may be disabled.
      await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside });
    });
  }
}

/** Returns the kernel sources of two runs if both are known. */
async function sourcesOf(
  one: StoredRun,
  other: StoredRun,
): Promise<readonly [string, string] | undefined> {
  const [before, after] = [await sourceOfRun(one), await sourceOfRun(other)];
  return before === undefined || after === undefined ? undefined : [before, after];
}

async function sourceOfRun({ measurement }: StoredRun): Promise<string | undefined> {
  const kernel = kernelOfRun(measurement);
  return kernel?.source ?? (await findText(measurement))?.runnable.source;
}

/**
 * Prompts for the runs to compare, newest first. Returns an empty list if the prompt is dismissed.
 */
export async function promptRuns(runs: readonly StoredRun[]): Promise<readonly StoredRun[]> {
  const items = runs.toReversed().map(run => ({
    label: icons`${icon(OUTCOME_ICONS[run.measurement.outcome])} ${runLabel(run.measurement)}`,
    description: descriptionOf(run.measurement, true),
    run,
  }));
  const picked = await showQuickPicks(items, {
    title: t('GEMM: compare runs'),
    placeHolder: t('Select two or more runs'),
    matchOnDescription: true,
  });
  return (picked ?? []).map(({ run }) => run);
}
