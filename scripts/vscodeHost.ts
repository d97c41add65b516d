/**
 * A real VS Code without a display: the VS Code server, and its workbench in a headless browser.
 * Everything it writes lies in one temporary folder that `close` removes.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from './host/browser';
import { onInterrupt } from './host/processes';
import { startServer, type Server } from './host/server';
import { writeSettings } from './host/settings';
import { ensureInstalled } from './install/index';
import { projectRoot } from './install/project';

export * from './host/drive';

export interface HostOptions {
  /** Absolute path of the folder to open. */
  readonly workspace: string;
  /** Whether workspace trust is off, or on with the folder not yet trusted. */
  readonly trust: 'trusted' | 'restricted';
  /** Absolute path of a compiled module whose `run()` executes in the extension host. */
  readonly extensionTestsPath?: string;
  /** Absolute path of the extension; this project by default. */
  readonly extensionPath?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly colorTheme?: string;
  readonly width?: number;
  readonly height?: number;
  /** Environment of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Host {
  readonly page: Page;
  /** Works in any browser on this machine while the host is open. */
  readonly url: string;
  readonly serverLog: () => string;
  readonly close: () => Promise<void>;
}

export interface HostServer {
  readonly url: string;
  readonly server: Server;
  readonly browser: string;
  readonly folder: string;
  /** Something to close before the server: whoever looks at it. */
  readonly closeFirst: (close: () => Promise<void>) => void;
  readonly close: () => Promise<void>;
}

const WORKBENCH_TIMEOUT_MS = 90_000;

/** The workbench, open and driven by Playwright. */
export async function startHost(options: HostOptions): Promise<Host> {
  const served = await startHostServer(options);
  try {
    const context = await openBrowser({
      executable: served.browser,
      profile: join(served.folder, 'browser'),
      width: options.width ?? 1440,
      height: options.height ?? 900,
    });
    served.closeFirst(() => context.close().catch(() => undefined));
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(served.url);
    await page.waitForSelector('.monaco-workbench .statusbar', { timeout: WORKBENCH_TIMEOUT_MS });
    return { page, url: served.url, serverLog: served.server.log, close: served.close };
  } catch (error) {
    await served.close();
    throw error;
  }
}

/** The server alone, for a browser that a person looks at. */
export async function startHostServer(options: HostOptions): Promise<HostServer> {
  const installed = await ensureInstalled();
  const folder = await mkdtemp(join(tmpdir(), 'gemm-vscode-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const dataFolder = join(folder, 'server');
    const theme = options.colorTheme === undefined ? {} : colorTheme(options.colorTheme);
    await writeSettings(dataFolder, { ...theme, ...options.settings });
    const server = await startServer(installed, {
      dataFolder,
      trust: options.trust,
      env: options.env ?? {},
    });
    const first: (() => Promise<void>)[] = [];
    const close = once(async () => {
      release();
      for (const closeIt of first) await closeIt();
      await server.stop();
      await remove();
    });
    const release = onInterrupt(close);
    return {
      url: address(server.port, options),
      server,
      browser: installed.browser,
      folder,
      closeFirst: closeIt => void first.push(closeIt),
      close,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

const colorTheme = (name: string): Readonly<Record<string, unknown>> => ({
  'workbench.colorTheme': name,
});

function address(port: number, options: HostOptions): string {
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${port}${encodeURI(path)}`;
  const payload = [
    ['extensionDevelopmentPath', remote(options.extensionPath ?? projectRoot())],
    ...(options.extensionTestsPath === undefined
      ? []
      : [['extensionTestsPath', remote(options.extensionTestsPath)]]),
  ];
  const query = new URLSearchParams({
    folder: options.workspace,
    payload: JSON.stringify(payload),
  });
  return `http://127.0.0.1:${port}/?${query.toString()}`;
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= close());
}
