/** Registers the explorer's pages with *Open explorer* and *Show roofline*. */
import * as vscode from 'vscode';
import type { FromWebview } from '../../protocol';
import type { CheckedWgsl, WgslRequest } from '../abilities';
import type { Documents } from '../documents/register';
import type { Shown } from '../documents/shown';
import type { Generation } from '../generate/register';
import type { History } from '../history/register';
import { COMMANDS, EXPLORER_VIEW } from '../ids';
import type { Base, Feature } from '../shared/base';
import { decodeKernelArgument } from '../../hostValues';
import { commandsOf, uriOf } from '../shared/commands';
import { anyEvent } from '../shared/events';
import { compiledMessages } from '../toolchain/facts';
import type { Toolchain } from '../toolchain/register';
import { createAdapterLimits, type AdapterRooms } from './adapterLimits';
import { BrowserPage } from './browserPage';
import { Explorer } from './explorer';
import { openExplorer, showRoofline } from './openExplorer';
import { createPageWgsl } from './pageWgsl';

export interface ExplorerParts extends Base {
  readonly documents: Documents;
  readonly generation: Pick<Generation, 'onDidGenerate'>;
  readonly history: History;
  readonly toolchain: Toolchain;
}

export interface ExplorerFeature extends Feature {
  readonly explorer: Explorer;
  readonly browser: BrowserPage;
  readonly shown: () => Shown | undefined;
  readonly adapterRoom: AdapterRooms['roomFor'];
  /**
   * Fires when a page has loaded, and when the browser page closes or reports its adapter. Features
   * then send their state.
   */
  readonly onPage: vscode.Event<void>;
  readonly onMessage: vscode.Event<FromWebview>;
  /**
   * Checks WGSL in a page with a GPU, or else with a local WGSL compiler if a process may be
   * started. Otherwise reports no messages.
   */
  readonly checkWgsl: (source: string, options: WgslRequest) => Promise<CheckedWgsl>;
  readonly onDidChangeWgslCompiler: vscode.Event<void>;
}

export function registerExplorer(parts: ExplorerParts): ExplorerFeature {
  const { abilities, context, failed, log, documents, generation, history, toolchain } = parts;
  const { store } = history;
  const { toolChain, compiler } = toolchain;
  const [pages, messages] = [
    new vscode.EventEmitter<void>(),
    new vscode.EventEmitter<FromWebview>(),
  ];
  const adapters = new vscode.EventEmitter<void>();
  const browser = new BrowserPage(abilities.serveBrowserPage, context.extensionUri, log);
  const explorer = new Explorer({
    browser,
    extension: context.extensionUri,
    log,
    backends: () => toolChain.backends(),
    runs: () => store.all(),
    firstFrame: abilities.firstFrame,
    onOpen: () => {
      if (vscode.workspace.isTrusted) void toolChain.probeCuda();
    },
    onPage: () => {
      pages.fire();
    },
    onMessage: message => {
      pageWgsl.heard(message);
      rooms.heard(message);
      if (message.type === 'adapter') adapters.fire();
      messages.fire(message);
    },
  });
  const pageWgsl = createPageWgsl(() => browser.page() ?? explorer.page());
  const rooms = createAdapterLimits({
    openPage: shown => explorer.openPage({ shown }),
    inBrowser: () => browser.limits(),
  });
  const refresh = (): void => {
    explorer.refresh();
  };
  const command = commandsOf(parts);
  return {
    explorer,
    browser,
    shown: () => explorer.current(),
    adapterRoom: rooms.roomFor,
    onPage: pages.event,
    onMessage: messages.event,
    onDidChangeWgslCompiler: anyEvent(adapters.event, browser.onDidChange),
    checkWgsl: async (source, options) =>
      (await pageWgsl.check(source, options)) ??
      (options.mayStart ? await abilities.checkWgsl(source, options) : { ok: true, messages: [] }),
    subscriptions: [
      explorer,
      browser,
      pages,
      messages,
      adapters,
      command(COMMANDS.openExplorer, argument =>
        openExplorer(explorer, uriOf(argument), decodeKernelArgument(argument)?.field),
      ),
      command(COMMANDS.showRoofline, argument => showRoofline(explorer, uriOf(argument))),
      vscode.window.registerWebviewPanelSerializer(EXPLORER_VIEW, {
        deserializeWebviewPanel: (panel, state: unknown) => {
          explorer.restore(panel, state);
          return Promise.resolve();
        },
      }),
      // Send earlier compiler reports to the new page.
      pages.event(() => {
        for (const message of compiler.known().flatMap(compiledMessages)) explorer.post(message);
      }),
      compiler.onDidCompile(text => {
        for (const message of compiledMessages(text)) explorer.post(message);
      }),
      store.onDidChange(refresh),
      toolChain.onDidChange(refresh),
      generation.onDidGenerate(explorer.showWritten.bind(explorer)),
      documents.onDidAdopt(() => void explorer.lookAgainAtFile().catch(failed)),
    ],
  };
}
