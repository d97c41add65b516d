/** The built explorer in a headless Chromium, under the CSP of the extension, with a stub of VS Code's side. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findBrowser } from '../install/browser';
import { pageHtml } from '../../src/extension/html';
import type { ToWebview } from '../../src/protocol';
import { DEFAULT_STYLES, THEMES, type Theme } from './themes';

export type ThemeName = keyof typeof THEMES;
export type Gpu = 'software' | 'none';

/** Where `npm run build` leaves the page's bundles, by UI kit; the first one ships. */
export const KITS = { toolkit: 'dist', elements: 'out/elements' } as const;
const DIST = KITS.toolkit;
const ORIGIN = 'https://explorer.test';
const NONCE = 'bm9uY2U';

/** Why the page cannot be tested here, or null. */
export function whyNot(): string | null {
  try {
    readFileSync(path.join(DIST, 'webview.js'));
  } catch {
    return 'dist/webview.js is not built';
  }
  return findBrowser() === undefined ? 'no Chromium, Chrome or Edge' : null;
}

export const launch = (flags: readonly string[] = []): Promise<Browser> => {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('No browser: see whyNot().');
  const webgpu = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
  const args = ['--no-sandbox', ...webgpu, ...flags];
  return chromium.launch({ executablePath, args });
};

export interface PageOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  readonly gpu?: Gpu;
  /** What an earlier page of the panel saved. */
  readonly saved?: unknown;
  /** Display language; English when it is not given. */
  readonly language?: 'de';
  /** Folder of the bundles. */
  readonly dist?: string;
}

export interface ExplorerPage {
  readonly page: Page;
  readonly send: (message: ToWebview) => Promise<void>;
  readonly sendRaw: (message: unknown) => Promise<void>;
  /** Messages the page posted so far. */
  readonly posted: () => Promise<
    readonly { readonly type: string; readonly [key: string]: unknown }[]
  >;
  readonly saved: () => Promise<unknown>;
  readonly cspViolations: () => Promise<readonly string[]>;
  readonly errors: readonly string[];
  /** One line a violation and element. */
  readonly axe: () => Promise<readonly string[]>;
  readonly setTheme: (theme: ThemeName) => Promise<void>;
  /** Opens everything that can be folded. */
  readonly unfold: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** An isolated page has a clock of 5 µs instead of 100 (W3C High Resolution Time). */
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

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
  const { width = 1440, height = 900, dist = DIST } = options;
  const context = await browser.newContext({ viewport: { width, height } });
  const errors: string[] = [];
  const page = await context.newPage();
  page.on('pageerror', error => errors.push(String(error)));
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.route(`${ORIGIN}/**`, route => {
    const { pathname } = new URL(route.request().url());
    const files: Readonly<Record<string, readonly [string, string]>> = {
      '/dist/webview.js': ['text/javascript', path.join(dist, 'webview.js')],
      '/explorer.css': ['text/css', path.join(dist, 'explorer.css')],
    };
    const file = files[pathname];
    if (file === undefined)
      return route.fulfill({ headers: ISOLATED, contentType: 'text/html', body: html(options) });
    return route.fulfill({ headers: ISOLATED, contentType: file[0], path: file[1] });
  });
  await page.goto(`${ORIGIN}/`);
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
    send: sendRaw,
    sendRaw,
    posted: () => read('posted'),
    saved: () => read('state'),
    cspViolations: () => read('violations'),
    errors,
    axe: () => runAxe(page),
    setTheme: async theme => {
      await page.evaluate(setTheme, THEMES[theme]);
      // The toolkit reads the variables again some frames after the body's class has changed.
      await page.waitForTimeout(100);
    },
    unfold: async () => {
      // What opens is drawn once the element has said so, and may hold more to open.
      await page.waitForFunction(() => {
        const all = [...document.querySelectorAll('details')];
        for (const details of all) details.open = true;
        return all.every(({ children }) => children.length > 1);
      });
    },
    close: () => context.close(),
  };
}

function html({ theme = 'dark', gpu = 'software', saved = null, language }: PageOptions): string {
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
    ${gpu === 'none' ? "Object.defineProperty(navigator, 'gpu', { value: { requestAdapter: async () => null } });" : ''}`;
  return pageHtml({
    ...{ nonce: NONCE, source: ORIGIN, language: language ?? 'en' },
    ...{ script: `${ORIGIN}/dist/webview.js`, style: `${ORIGIN}/explorer.css` },
    bundle: language === undefined ? {} : bundleOf(language),
  })
    .replace(
      '<link',
      `<style nonce="${NONCE}" id="_defaultVariables">html { ${style.join(' ')} }</style>
<style nonce="${NONCE}" id="_defaultStyles">${DEFAULT_STYLES}</style>\n<link`,
    )
    .replace('<body>', `<body class="${bodyClass}" data-vscode-theme-kind="${kind}">`)
    .replace('<div id="root">', `<script nonce="${NONCE}">${stub}</script>\n<div id="root">`);
}

/** As VS Code gives it to the extension. */
export const bundleOf = (language: 'de'): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(`media/l10n/bundle.l10n.${language}.json`, 'utf8')) as Record<
    string,
    string
  >;

/** As VS Code does when the theme changes: variables on the root, classes on the body. */
function setTheme({ variables, bodyClass, kind }: Theme): void {
  const { style } = document.documentElement;
  style.cssText = '';
  document.getElementById('_defaultVariables')?.remove();
  for (const [name, value] of Object.entries(variables)) style.setProperty(name, value);
  document.body.className = bodyClass;
  document.body.dataset['vscodeThemeKind'] = kind;
}

const axeSource = readFileSync(
  path.join(path.dirname(createRequire(import.meta.url).resolve('axe-core')), 'axe.min.js'),
  'utf8',
);

interface Axe {
  readonly run: (options: RunOptions) => Promise<AxeResults>;
}

async function runAxe(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const results = await page.evaluate(() =>
    (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] }),
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
  );
}
