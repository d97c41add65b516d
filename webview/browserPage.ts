/**
 * Stands in for VS Code's side of a webview where the page is shown in a browser: messages go to the extension as
 * POSTs, one after the other, and come as server-sent events. Loaded before the page itself.
 */
import { t } from '@vscode/l10n';
import { useDisplayLanguage } from './language';

const STATE_KEY = 'gemm-explorer';

useDisplayLanguage();
// The token has been used: the address without it survives a reload.
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

/** Above the page, which goes on showing what it had. */
function say(text: string): void {
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
  say(t('This page is open in another tab, which has taken over. Close this one.'));
});
events.addEventListener('closed', () => {
  events.close();
  say(t('The explorer in VS Code was closed. Open it and this page again from there.'));
});
events.addEventListener('error', () => {
  if (events.readyState === EventSource.CLOSED)
    say(t('The connection to VS Code has ended. Open this page again from the explorer.'));
});
