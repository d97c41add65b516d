/**
 * Opens the built explorer in a headless Chromium, under the extension's CSP, with a stub of the VS
 * Code API.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findHeadlessBrowser } from '../install/browser';
import { pageHtml } from '../../src/extension/explorer/html';
import { runAxe } from './axe';
import {
  drawn,
  errorsOf,
  FRAMES_OF_A_THEME,
  unfold,
  type ExplorerPage,
  type ThemeName,
} from './openedPage';
import { pageServer, type PageAddress } from './pageServer';
import { newest } from './samples';
import { DEFAULT_STYLES, THEMES, type Theme } from './themes';

export type { ExplorerPage, ThemeName } from './openedPage';

const GPUS = {
  none: '{ requestAdapter: async () => null }',
  absent: 'undefined',
  silent: '{ requestAdapter: () => new Promise(() => undefined) }',
  failing: "{ requestAdapter: async () => { throw new Error('The GPU process was lost.'); } }",
} as const;
export type Gpu = 'software' | keyof typeof GPUS;

export const gpuScript = (gpu: Gpu): string =>
  gpu === 'software' ? '' : `Object.defineProperty(navigator, 'gpu', { value: ${GPUS[gpu]} });`;

export const DIST = 'dist';
const NONCE = 'bm9uY2U';

/** Returns the reason why the page cannot be tested on this machine, or null. */
export function whyNot(): string | null {
  try {
    readFileSync(path.join(DIST, 'webview.js'));
  } catch {
    return 'dist/webview.js is not built';
  }
  return findHeadlessBrowser() === undefined ? 'no Chromium, Chrome or Edge' : null;
}

export const launch = (flags: readonly string[] = []): Promise<Browser> => {
  const executablePath = findHeadlessBrowser();
  if (executablePath === undefined)
    throw new Error(
      'No Chromium, Chrome or Edge was found. Fix: set GEMM_BROWSER to the path of one of them.',
    );
  const webgpu = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
  const args = ['--no-sandbox', '--process-per-site', ...webgpu, ...flags];
  return chromium.launch({ executablePath, args });
};

export interface PageOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  readonly gpu?: Gpu;
  readonly saved?: unknown;
  readonly dist?: string;
  /** First frame that the extension host rendered. */
  readonly firstFrame?: string;
}

interface Stub {
  readonly posted: { type: string }[];
  readonly violations: string[];
  state: unknown;
}
type StubWindow = typeof globalThis & { stub: Stub };

export async function openExplorer(
  browser: Browser,
  options: PageOptions = {},
): Promise<ExplorerPage> {
  const page = await newPage(browser);
  return { ...(await loadExplorer(page, options)), close: () => page.context().close() };
}

export const newPage = async (browser: Browser): Promise<Page> =>
  (await browser.newContext()).newPage();

/**
 * Loads the explorer in `page`, which may have shown an explorer before. Later loads are faster,
 * because the browser keeps the compiled bundles.
 */
export async function loadExplorer(page: Page, options: PageOptions = {}): Promise<ExplorerPage> {
  const { width = 1440, height = 900, dist = DIST } = options;
  await page.setViewportSize({ width, height });
  const { errors, forget } = errorsOf(page);
  const server = await pageServer();
  await page.goto(server.add(dist, address => html(address, options)));
  await page.waitForFunction(() =>
    (globalThis as StubWindow).stub.posted.some(m => m.type === 'ready'),
  );
  const read = <K extends keyof Stub>(key: K): Promise<Stub[K]> =>
    page.evaluate(name => (globalThis as StubWindow).stub[name as K], key);
  const sendRaw = (message: unknown) =>
    page.evaluate(data => {
      window.postMessage(data, '*');
    }, message);
  return {
    page,
    send: message => sendRaw(message.type === 'show' ? { ...message, ...newest() } : message),
    sendRaw,
    posted: () => read('posted'),
    saved: () => read('state'),
    cspViolations: () => read('violations'),
    errors,
    axe: rules => runAxe(page, rules),
    setTheme: async theme => {
      await page.evaluate(setTheme, THEMES[theme]);
      await drawn(page, FRAMES_OF_A_THEME);
    },
    unfold: () => unfold(page),
    // Keep the page for the next load.
    close: async () => {
      forget();
      await page.unrouteAll();
      await page.emulateMedia({ forcedColors: null, colorScheme: null, reducedMotion: null });
    },
  };
}

function html(
  { origin, folder }: PageAddress,
  { theme = 'dark', gpu = 'software', saved = null, firstFrame = '' }: PageOptions,
): string {
  const { variables, bodyClass, kind } = THEMES[theme];
  const style = Object.entries(variables).map(([name, value]) => `${name}: ${value};`);
  const stub = `
    globalThis.stub = { posted: [], violations: [], state: ${JSON.stringify(saved)} };
    document.addEventListener('securitypolicyviolation', e =>
      stub.violations.push(e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample));
    globalThis.acquireVsCodeApi = () => ({
      postMessage: m => { stub.posted.push(structuredClone(m)); },
      getState: () => stub.state,
      setState: s => { stub.state = structuredClone(s); },
    });
    ${gpuScript(gpu)}`;
  return pageHtml({
    nonce: NONCE,
    source: origin,
    language: 'en',
    script: `${folder}/webview.js`,
    style: `${folder}/explorer.css`,
    bundle: {},
    firstFrame,
  })
    .replace(
      '<link',
      `<style nonce="${NONCE}" id="_defaultVariables">html { ${style.join(' ')} }</style>
<style nonce="${NONCE}" id="_defaultStyles">${DEFAULT_STYLES}</style>\n<link`,
    )
    .replace('<body>', `<body class="${bodyClass}" data-vscode-theme-kind="${kind}">`)
    .replace('<div id="root">', () => `<script nonce="${NONCE}">${stub}</script>\n<div id="root">`);
}

function setTheme({ variables, bodyClass, kind }: Theme): void {
  const { style } = document.documentElement;
  style.cssText = '';
  document.getElementById('_defaultVariables')?.remove();
  for (const [name, value] of Object.entries(variables)) style.setProperty(name, value);
  document.body.className = bodyClass;
  document.body.dataset['vscodeThemeKind'] = kind;
}
