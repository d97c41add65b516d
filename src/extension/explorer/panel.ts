/** The explorer's webview panel: its page, its messages and its lifetime. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { decodeFromWebview, type FromWebview, type ToWebview } from '../../protocol';
import { pageHtml } from './html';
import { EXPLORER_VIEW } from '../ids';

export interface Panel {
  readonly post: (message: ToWebview) => void;
  readonly isVisible: () => boolean;
  /** @param takeFocus whether the page receives keyboard focus */
  readonly reveal: (takeFocus: boolean) => void;
  readonly setTitle: (title: string) => void;
  /** Fires when a new page has loaded; pending work of the earlier page is lost. */
  readonly onReady: vscode.Event<void>;
  readonly onMessage: vscode.Event<FromWebview>;
  /** Fires when the panel was closed or hidden. Hiding discards the page. */
  readonly onHidden: vscode.Event<void>;
  readonly onClosed: vscode.Event<void>;
}

const folders = (extension: vscode.Uri): vscode.Uri[] =>
  ['dist', 'media'].map(name => vscode.Uri.joinPath(extension, name));

export interface PanelParts {
  readonly extension: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  /** Renders the first frame of a page; empty if there is nothing to show. */
  readonly firstFrame: () => Promise<string>;
}

export function createPanel(column: vscode.ViewColumn, parts: PanelParts): Panel {
  const place = { viewColumn: column, preserveFocus: true };
  const panel = vscode.window.createWebviewPanel(EXPLORER_VIEW, 'GEMM Explorer', place, {});
  return adoptPanel(panel, parts);
}

export function adoptPanel(panel: vscode.WebviewPanel, parts: PanelParts): Panel {
  const { extension, log, firstFrame } = parts;
  const { webview } = panel;
  const ready = new vscode.EventEmitter<void>();
  const message = new vscode.EventEmitter<FromWebview>();
  const hidden = new vscode.EventEmitter<void>();
  const closed = new vscode.EventEmitter<void>();
  webview.options = {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: folders(extension),
  };
  webview.onDidReceiveMessage((data: unknown) => {
    const decoded = decodeMessage(data);
    if (typeof decoded === 'string') log.warn(`Dropped a message from the explorer: ${decoded}`);
    else if (decoded.type === 'ready') ready.fire();
    else message.fire(decoded);
  });
  // A hidden page saves its state and is discarded, so that it cannot use the GPU in the
  // background.
  panel.onDidChangeViewState(() => {
    if (panel.visible) return;
    hidden.fire();
    // VS Code loads this HTML when the panel is shown again.
    void setHtml(() => !panel.visible);
  });
  let disposed = false;
  panel.onDidDispose(() => {
    disposed = true;
    hidden.fire();
    closed.fire();
    for (const emitter of [ready, message, hidden, closed]) emitter.dispose();
  });
  panel.iconPath = vscode.Uri.joinPath(extension, 'media', 'icon.svg');
  /** Sets the HTML, which reloads a visible page, if `mayReload` still holds after rendering. */
  const setHtml = async (mayReload = () => true): Promise<void> => {
    const frame = await firstFrame();
    if (!disposed && mayReload()) webview.html = page(webview, extension, frame);
  };
  void setHtml();
  return {
    post: data => void webview.postMessage(data),
    isVisible: () => panel.visible,
    reveal: takeFocus => {
      panel.reveal(undefined, !takeFocus);
    },
    setTitle: title => {
      panel.title = title;
    },
    onReady: ready.event,
    onMessage: message.event,
    onHidden: hidden.event,
    onClosed: closed.event,
  };
}

function page(webview: vscode.Webview, extension: vscode.Uri, firstFrame: string): string {
  const address = (...path: string[]): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extension, ...path)).toString();
  return pageHtml({
    nonce: crypto.randomUUID(),
    source: webview.cspSource,
    script: address('dist', 'webview.js'),
    style: address('dist', 'explorer.css'),
    language: t('en'),
    bundle: vscode.l10n.bundle ?? {},
    firstFrame,
  });
}

/** Returns the decoded message, or the reason why it is invalid. */
export function decodeMessage(data: unknown): FromWebview | string {
  const decoded = decodeFromWebview(data);
  return decoded.ok ? decoded.message : decoded.reason;
}
