/** Makes sure that what the host needs is there, and installs what is missing. */

import { ensureBrowser } from './browser';
import { personIsThere } from './ask';
import { ensureVscode, type VscodeHost } from './vscode';

export interface Installed extends VscodeHost {
  readonly browser: string;
}

export async function ensureInstalled(): Promise<Installed> {
  // Two questions at once would mix on the terminal; without a person both can go on together.
  if (personIsThere()) {
    const browser = await ensureBrowser();
    return { browser, ...(await ensureVscode()) };
  }
  const [browser, vscode] = await Promise.allSettled([ensureBrowser(), ensureVscode()]);
  if (browser.status === 'rejected') throw browser.reason;
  if (vscode.status === 'rejected') throw vscode.reason;
  return { browser: browser.value, ...vscode.value };
}
