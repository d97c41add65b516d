/**
 * Replacement for the VS Code webview API when a browser shows the page. It sends sequential POST
 * requests to the extension and receives server-sent events. It is loaded before the page.
 */
import { t } from '@vscode/l10n';
import { useDisplayLanguage } from './language';

const STATE_KEY = 'gemm-explorer';

useDisplayLanguage();
// The token can be used only once; the URL without the token survives a reload.
history.replaceState(null, '', './');

let posting: Promise<unknown> = Promise.resolve();

const post = (message: unknown): void => {
  const body = JSON.stringify(message);
  const headers = { 'Content-Type': 'application/json' };
  posting = posting
    .then(() => fetch('./messages', { method: 'POST', headers, body, credentials: 'same-origin' }))
    .catch(() => undefined);
};

const readState = (): unknown => {
  try {
    return JSON.parse(sessionStorage.getItem(STATE_KEY) ?? 'null');
  } catch {
    return null;
  }
};

const api = {
  postMessage: post,
  getState: readState,
  setState: (state: unknown) => {
    sessionStorage.setItem(STATE_KEY, JSON.stringify(state));
  },
};
Object.assign(globalThis, { acquireVsCodeApi: () => api });

function showMessage(text: string): void {
  const old = document.querySelector('.browser-ended');
  const place = old ?? document.createElement('p');
  place.className = 'browser-ended';
  place.setAttribute('role', 'alert');
  place.textContent = text;
  if (old === null) document.body.prepend(place);
}

const events = new EventSource('./events');
events.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (typeof data !== 'string') return;
  window.dispatchEvent(new MessageEvent('message', { data: JSON.parse(data) as unknown }));
});
events.addEventListener('replaced', () => {
  events.close();
  showMessage(t('This page is now open in another tab. Close this tab.'));
});
events.addEventListener('closed', () => {
  events.close();
  showMessage(
    t(
      'The explorer in VS Code was closed. Fix: reopen the explorer, then open this page from there.',
    ),
  );
});
events.addEventListener('error', () => {
  if (events.readyState === EventSource.CLOSED)
    showMessage(t('The connection to VS Code was lost. Fix: reopen this page from the explorer.'));
});
