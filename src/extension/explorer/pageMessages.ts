/** What the explorer's page asks for. It names no path and no program: only what to do with its spec. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromWebview, ListingLanguage, ToWebview } from '../../protocol';
import { showErrorMessage } from '../display/notify';
import type { ExportChart } from './exportChart';
import { runShown, type RunParts } from '../runs/runCommands';
import type { JobRunner } from '../runs/runJob';
import type { Shown } from '../documents/shown';
import type { Guard } from '../trust/guard';
import type { Tuner } from '../tune/tuner';

export interface PageParts {
  readonly guard: Guard;
  readonly jobs: JobRunner;
  readonly log: vscode.LogOutputChannel;
  readonly runParts: RunParts;
  readonly shown: () => Shown | undefined;
  readonly tuner: Pick<Tuner, 'startShown' | 'cancel' | 'adopt'>;
  /** To the page: whoever asked for a run that does not come is told. */
  readonly post: (message: ToWebview) => void;
  /** Previews in Restricted Mode. */
  readonly generate: () => Promise<void>;
  readonly report: () => Promise<unknown>;
  readonly exportChart: (message: ExportChart) => Promise<void>;
  readonly checkToolChain: () => Promise<void>;
  readonly writeSpec: () => Promise<void>;
  readonly readSpec: () => Promise<void>;
  readonly showPtx: () => Promise<void>;
  readonly inspect: (language: ListingLanguage) => Promise<void>;
  readonly openInBrowser: () => Promise<void>;
}

export function createPageHandler(parts: PageParts): (message: FromWebview) => void {
  const { guard, jobs, log, runParts, shown, tuner } = parts;
  /** Why nothing was run; null when something was. */
  const run = async ({ backend, mode }: Extract<FromWebview, { type: 'run' }>) => {
    const current = shown();
    if (current === undefined) return t('Nothing was run: the explorer shows no configuration.');
    const ended = await guard(t('Running a kernel'), () =>
      runShown(current, mode, backend, runParts),
    );
    return ended === undefined ? t('Nothing was run: a run needs a trusted workspace.') : ended;
  };
  const tune = async (ask: Extract<FromWebview, { type: 'tune' }>['ask']): Promise<void> => {
    if (ask === 'cancel') tuner.cancel();
    else if (ask === 'adopt') await guard(t('Adopting a schedule'), () => tuner.adopt());
    else await guard(t('Tuning'), () => tuner.startShown());
  };
  const perform = async (message: FromWebview): Promise<void> => {
    switch (message.type) {
      case 'generate':
        await parts.generate();
        return;
      case 'exportReport':
        await parts.report();
        return;
      case 'exportChart':
        await guard(t('Saving a chart'), () => parts.exportChart(message));
        return;
      case 'run': {
        const why = await run(message);
        if (why !== null) parts.post({ type: 'failed', message: why });
        return;
      }
      case 'cancelRun':
        jobs.cancel(message.id);
        return;
      case 'tune':
        await tune(message.ask);
        return;
      case 'writeSpec':
        await guard(t('Writing the spec file'), parts.writeSpec);
        return;
      case 'readSpec':
        await parts.readSpec();
        return;
      case 'showPtx':
        await parts.showPtx();
        return;
      case 'inspect':
        await parts.inspect(message.language);
        return;
      case 'openInBrowser':
        await guard(t('Opening the page in a browser'), parts.openInBrowser);
        return;
      case 'manageTrust':
        await vscode.commands.executeCommand('workbench.trust.manage');
        return;
      case 'checkToolChain':
        await parts.checkToolChain();
        return;
      case 'log':
        log.info(`Explorer: ${message.text}`);
        return;
      // Answered by the explorer and by the run that waits for them.
      case 'ready':
      case 'changeSpec':
      case 'adapter':
      case 'progress':
      case 'measured':
      case 'wgslChecked':
        return;
    }
  };
  return message => {
    perform(message).catch((error: unknown) => {
      log.error(error instanceof Error ? error : String(error));
      void showErrorMessage(`GEMM Explorer: ${String(error)}`);
      if (message.type === 'run') parts.post({ type: 'failed', message: String(error) });
    });
  };
}
