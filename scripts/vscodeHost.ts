/**
 * Runs a real VS Code without a display: the VS Code server, and its workbench in a headless
 * browser. Its files are in one temporary folder, which `close` removes.
 */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { openBrowser } from './host/browser';
import { waitForWorkbench } from './host/drive';
import { onInterrupt } from './host/processes';
import { startServer, type Server } from './host/server';
import { writeSettings } from './host/settings';
import { ensureInstalled } from './install/index';
import type { VscodeHost } from './install/vscode';
import { projectRoot } from './install/project';

export * from './host/drive';
export * from './host/quickInput';

export interface HostOptions {
  /** Absolute path of the folder to open. */
  readonly workspace: string;
  /** `trusted` disables workspace trust; `restricted` enables it and opens an untrusted folder. */
  readonly trust: 'trusted' | 'restricted';
  /** Absolute path of a compiled module whose `run()` executes in the extension host. */
  readonly extensionTestsPath?: string;
  /** Absolute path of the extension, a folder or a VSIX; this project by default. */
  readonly extensionPath?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly colorTheme?: string;
  readonly width?: number;
  readonly height?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the browser starts with the WebGPU flags; on by default. */
  readonly webgpu?: 'on' | 'off';
  /** Paths of further extensions, folders or VSIX files. */
  readonly companions?: readonly string[];
  /** Program and arguments that start the server, such as a tracer. */
  readonly under?: readonly [program: string, ...args: string[]];
}

export interface Host {
  readonly page: Page;
  /** URL of the workbench, valid in any browser on this machine while the host is open. */
  readonly url: string;
  readonly serverLog: () => string;
  readonly serverEnded: () => boolean;
  readonly close: () => Promise<void>;
}

type Payload = readonly (readonly [name: string, path: string])[];

export interface HostServer {
  readonly url: string;
  readonly server: Server;
  readonly browser: string;
  readonly folder: string;
  /** Registers a client to close before the server. */
  readonly closeFirst: (close: () => Promise<void>) => void;
  readonly close: () => Promise<void>;
}

export async function startHost(options: HostOptions): Promise<Host> {
  const served = await startHostServer(options, true);
  try {
    const context = await openBrowser({
      executable: served.browser,
      profile: join(served.folder, 'browser'),
      width: options.width ?? 1440,
      height: options.height ?? 900,
      webgpu: options.webgpu ?? 'on',
    });
    served.closeFirst(() => context.close().catch(() => undefined));
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(served.url);
    await waitForWorkbench(page, options.trust);
    const { url, server, close } = served;
    return { page, url, serverLog: server.log, serverEnded: server.ended, close };
  } catch (error) {
    await served.close();
    throw error;
  }
}

/** Starts only the server, without a browser. */
export async function startHostServer(
  options: HostOptions,
  endWhenUnused = false,
): Promise<HostServer> {
  const installed = await ensureInstalled();
  const folder = await mkdtemp(join(tmpdir(), 'gemm-vscode-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const dataFolder = join(folder, 'server');
    const theme = options.colorTheme === undefined ? {} : colorTheme(options.colorTheme);
    await writeSettings(dataFolder, { ...theme, ...options.settings });
    const extensionsFolder = join(folder, 'extensions');
    await mkdir(extensionsFolder);
    const payload = developmentPayload(options);
    if (payload === undefined)
      await installExtension(installed, extensionPath(options), extensionsFolder);
    for (const companion of options.companions ?? [])
      await installExtension(installed, companion, extensionsFolder);
    const server = await startServer(installed, {
      dataFolder,
      extensionsFolder,
      payload: payload !== undefined,
      endWhenUnused,
      trust: options.trust,
      env: options.env ?? {},
      ...(options.under === undefined ? {} : { under: options.under }),
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
      url: address(server.port, options.workspace, payload),
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

const extensionPath = (options: HostOptions): string => options.extensionPath ?? projectRoot();

async function installExtension(
  { node, server }: VscodeHost,
  path: string,
  extensionsFolder: string,
): Promise<void> {
  if (path.endsWith('.vsix')) {
    const args = ['--install-extension', path, '--extensions-dir', extensionsFolder];
    await promisify(execFile)(node, [server, ...args]);
    return;
  }
  await symlink(path, join(extensionsFolder, basename(path)), 'dir');
}

/**
 * Returns the URL payload that loads the extension in development mode, which the extension host
 * requires for tests; undefined without tests.
 */
function developmentPayload(options: HostOptions): Payload | undefined {
  if (options.extensionTestsPath === undefined) return undefined;
  return [
    ['extensionDevelopmentPath', extensionPath(options)],
    ['extensionTestsPath', options.extensionTestsPath],
  ];
}

function address(port: number, workspace: string, payload: Payload | undefined): string {
  const authority = `127.0.0.1:${port}`;
  const start = `http://${authority}/?folder=${encodeURIComponent(workspace)}`;
  if (payload === undefined) return start;
  const remote = payload.map(([name, path]) => [
    name,
    `vscode-remote://${authority}${encodeURI(path)}`,
  ]);
  return `${start}&payload=${encodeURIComponent(JSON.stringify(remote))}`;
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= close());
}
