/** Handler of requests from the explorer's page. Messages never contain paths or commands. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromWebview, ListingLanguage } from '../../protocol';
import { showErrorMessage } from '../display/notify';
import type { Shown } from '../documents/shown';
import type { Base, Feature } from '../shared/base';
import { exportChart } from './exportChart';
import type { ExplorerFeature } from './register';

type Ask<T extends FromWebview['type']> = Extract<FromWebview, { type: T }>;

export interface PageRequests {
  /** Runs the shown kernel. Resolves to the reason if no run took place, otherwise null. */
  readonly run: (
    shown: Shown,
    mode: Ask<'run'>['mode'],
    backend: Ask<'run'>['backend'],
  ) => Promise<string | null>;
  readonly cancelRun: (id: string) => void;
  readonly tune: {
    readonly startShown: () => Promise<void>;
    readonly cancel: () => void;
    readonly adopt: () => Promise<void>;
  };
  readonly generate: (shown: Shown) => Promise<void>;
  readonly report: () => Promise<unknown>;
  readonly share: () => Promise<unknown>;
  readonly checkToolChain: () => Promise<void>;
  readonly showPtx: () => Promise<void>;
  readonly inspect: (language: ListingLanguage) => Promise<void>;
}

export interface PageParts extends Base {
  readonly pages: Pick<ExplorerFeature, 'browser' | 'explorer' | 'onMessage'>;
  readonly requests: PageRequests;
}

export const answerPages = (parts: PageParts): Feature => ({
  subscriptions: [parts.pages.onMessage(createPageHandler(parts))],
});

function createPageHandler(parts: PageParts): (message: FromWebview) => void {
  const { guard, log, pages, requests } = parts;
  const { browser, explorer } = pages;
  const run = async ({ backend, mode }: Ask<'run'>): Promise<string | null> => {
    const current = explorer.current();
    if (current === undefined) return t('Nothing was run: the explorer shows no configuration.');
    const ended = await guard(t('Running a kernel'), () => requests.run(current, mode, backend));
    return ended === undefined
      ? t('Nothing was run: running requires a trusted workspace.')
      : ended;
  };
  const tune = async (ask: Ask<'tune'>['ask']): Promise<void> => {
    const { startShown, cancel, adopt } = requests.tune;
    if (ask === 'cancel') cancel();
    else if (ask === 'adopt') await guard(t('Adopting a schedule'), adopt);
    else await guard(t('Tuning'), startShown);
  };
  const perform = async (message: FromWebview): Promise<void> => {
    switch (message.type) {
      case 'generate':
        await requests.generate(explorer.currentOrFresh());
        return;
      case 'exportReport':
        await requests.report();
        return;
      case 'shareResult':
        await requests.share();
        return;
      case 'exportChart':
        await guard(t('Saving a chart'), () =>
          exportChart(message, explorer.currentOrFresh().name),
        );
        return;
      case 'run': {
        const why = await run(message);
        if (why !== null) explorer.post({ type: 'failed', message: why });
        return;
      }
      case 'cancelRun':
        requests.cancelRun(message.id);
        return;
      case 'tune':
        await tune(message.ask);
        return;
      case 'writeSpec':
        await guard(t('Writing the spec file'), () => explorer.writeSpec());
        return;
      case 'readSpec':
        await explorer.readSpec();
        return;
      case 'showPtx':
        await requests.showPtx();
        return;
      case 'inspect':
        await requests.inspect(message.language);
        return;
      case 'openInBrowser':
        await guard(t('Opening the page in a browser'), () => browser.open());
        return;
      case 'manageTrust':
        await vscode.commands.executeCommand('workbench.trust.manage');
        return;
      case 'checkToolChain':
        await requests.checkToolChain();
        return;
      case 'log':
        log.info(`Explorer: ${message.text}`);
        return;
      // Other listeners handle these messages.
      case 'ready':
      case 'changeSpec':
      case 'highlightLines':
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
      if (message.type === 'run') explorer.post({ type: 'failed', message: String(error) });
    });
  };
}
