/**
 * Serves the explorer's page on this machine and opens it in the user's browser, through a tunnel
 * if necessary.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { servePage, type ServedFile } from '../../host/pageServer';
import { MAX_MESSAGE_BYTES } from '../../protocol';
import type { BrowserConnection, BrowserPageOptions } from '../abilities';
import { pageHtml } from '../explorer/html';
import { PAGE_FILES } from '../explorer/pageFiles';

const IDLE_MS = 10 * 60_000;

export async function serveBrowserPage(options: BrowserPageOptions): Promise<BrowserConnection> {
  const { extension, onMessage, onDisconnected, onClosed } = options;
  const files = Object.fromEntries(
    Object.entries(PAGE_FILES).map(([name, type]): [string, ServedFile] => {
      const file = vscode.Uri.joinPath(extension, 'dist', name);
      return [name, { type, read: async () => await vscode.workspace.fs.readFile(file) }];
    }),
  );
  const server = await servePage({
    page: nonce =>
      pageHtml({
        nonce,
        source: "'self'",
        language: t('en'),
        bundle: vscode.l10n.bundle ?? {},
        script: './webview.js',
        style: './explorer.css',
        browser: { script: './browserPage.js', style: './browserPage.css' },
      }),
    files,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    onMessage,
    onConnected: () => undefined,
    onDisconnected,
    onClosed,
    idleMs: IDLE_MS,
  });
  return {
    post: server.post,
    close: server.close,
    open: async () => {
      const address = vscode.Uri.parse(server.address(), true);
      const external = await vscode.env.asExternalUri(address);
      server.allow(external.authority);
      return await vscode.env.openExternal(external);
    },
  };
}
