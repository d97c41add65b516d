/**
 * Entry point of the explorer's page: defines the controls of the first frame, which the extension
 * host rendered, and then loads the interactive page.
 */
import { t } from '@vscode/l10n';
import { useDisplayLanguage } from './language';
import { registerKit } from './registerKit';

useDisplayLanguage();
registerKit();
afterFirstFrame(() => {
  loadPage().catch((error: unknown) => {
    const failure = document.createElement('p');
    failure.setAttribute('role', 'alert');
    failure.textContent = t('The page failed to load: {0}. Reopen the explorer.', String(error));
    document.getElementById('root')?.replaceChildren(failure);
  });
});

async function loadPage(): Promise<void> {
  await loadScript(new URL('core.cjs', import.meta.url));
  await import('./page');
}

/** Loads a script that the content security policy permits by the nonce of this page. */
function loadScript(address: URL): Promise<void> {
  const script = document.createElement('script');
  script.nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.content ?? '';
  script.src = address.href;
  return new Promise((resolve, reject) => {
    script.addEventListener('load', () => {
      resolve();
    });
    script.addEventListener('error', () => {
      reject(new Error(t('{0} is not available', address.pathname)));
    });
    document.head.append(script);
  });
}

/** Runs `act` after the browser has painted; immediately in a hidden page, which paints nothing. */
function afterFirstFrame(act: () => void): void {
  if (document.hidden) act();
  else requestAnimationFrame(() => setTimeout(act, 0));
}
