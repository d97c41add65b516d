/** Installs the browser and the embedded VS Code if they are missing. */

import { ensureBrowser } from './browser';
import { personIsThere } from './ask';
import { ensureVscode, type VscodeHost } from './vscode';

export interface Installed extends VscodeHost {
  readonly browser: string;
}

export async function ensureInstalled(): Promise<Installed> {
  // Two concurrent prompts would mix on the terminal; without prompts, both installs run in
  // parallel.
  if (personIsThere()) {
    const browser = await ensureBrowser();
    return { browser, ...(await ensureVscode()) };
  }
  const [browser, vscode] = await Promise.allSettled([ensureBrowser(), ensureVscode()]);
  if (browser.status === 'rejected') throw browser.reason;
  if (vscode.status === 'rejected') throw vscode.reason;
  return { browser: browser.value, ...vscode.value };
}
