/**
 * Opens the page as in a user's browser: from the real loopback server with its headers and CSP.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { pageHtml } from '../../src/extension/explorer/html';
import { PAGE_FILES } from '../../src/extension/explorer/pageFiles';
import { servePage, type PageServer } from '../../src/host/pageServer';
import { decodeFromWebview, MAX_MESSAGE_BYTES } from '../../src/protocol';
import { gpuScript, DIST, type PageOptions } from './explorerPage';
import { runAxe } from './axe';
import {
  drawn,
  errorsOf,
  FRAMES_OF_A_THEME,
  unfold,
  type ExplorerPage,
  type ThemeName,
} from './openedPage';
import { newest } from './samples';

/**
 * Media features that replace VS Code's themes. Forced colors are excluded, because axe reads style
 * colors instead of painted colors; test/long/page/adapts.test.ts covers them.
 */
const MEDIA = {
  dark: { colorScheme: 'dark', contrast: 'no-preference' },
  light: { colorScheme: 'light', contrast: 'no-preference' },
  highContrast: { colorScheme: 'dark', contrast: 'more' },
  highContrastLight: { colorScheme: 'light', contrast: 'more' },
} as const satisfies Readonly<Record<ThemeName, object>>;

export interface ServedPage extends ExplorerPage {
  /** Simulates closing the explorer in VS Code. */
  readonly closeServer: () => void;
  /** Simulates opening the page in another tab. */
  readonly replace: () => Promise<void>;
}

export async function openServed(
  browser: Browser,
  { width = 1440, height = 900, gpu = 'software', theme = 'dark' }: PageOptions = {},
): Promise<ServedPage> {
  const posted: { readonly type: string }[] = [];
  let heardReady: () => void;
  const ready = new Promise<void>(resolve => (heardReady = resolve));
  const server: PageServer = await servePage({
    page: nonce =>
      pageHtml({
        nonce,
        source: "'self'",
        language: 'en',
        script: './webview.js',
        style: './explorer.css',
        bundle: {},
        browser: { script: './browserPage.js', style: './browserPage.css' },
      }),
    files: Object.fromEntries(
      Object.entries(PAGE_FILES).map(([name, type]) => [
        name,
        { type, read: () => readFile(path.join(DIST, name)) },
      ]),
    ),
    maxMessageBytes: MAX_MESSAGE_BYTES,
    onMessage: data => {
      const decoded = decodeFromWebview(data);
      posted.push(decoded.ok ? decoded.message : { type: `refused: ${decoded.reason}` });
      if (decoded.ok && decoded.message.type === 'ready') heardReady();
    },
    onConnected: () => undefined,
    onDisconnected: () => undefined,
    onClosed: () => undefined,
    idleMs: 600_000,
  });
  const context = await browser.newContext({ viewport: { width, height }, ...MEDIA[theme] });
  const page = await context.newPage();
  const { errors } = errorsOf(page);
  const violations: string[] = [];
  await page.exposeFunction('violated', (text: string) => violations.push(text));
  await page.addInitScript(`
    document.addEventListener('securitypolicyviolation', e =>
      violated(e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample));
    ${gpuScript(gpu)}`);
  await page.goto(server.address());
  await ready;
  const sendRaw = (message: unknown): Promise<void> => {
    server.post(message);
    return Promise.resolve();
  };
  return {
    page,
    sendRaw,
    errors,
    send: message => sendRaw(message.type === 'show' ? { ...message, ...newest() } : message),
    posted: () => Promise.resolve(posted),
    saved: () =>
      page.evaluate(() => JSON.parse(sessionStorage.getItem('gemm-explorer') ?? 'null') as unknown),
    cspViolations: () => Promise.resolve(violations),
    axe: rules => runAxe(page, rules),
    setTheme: async name => {
      await page.emulateMedia(MEDIA[name]);
      await drawn(page, FRAMES_OF_A_THEME);
    },
    unfold: () => unfold(page),
    closeServer: server.close,
    replace: async () => {
      await page.evaluate(() => {
        new EventSource('./events');
      });
    },
    close: async () => {
      await context.close();
      server.close();
    },
  };
}
