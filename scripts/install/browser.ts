/** Finds an installed Chromium, Chrome or Edge, or installs Debian's Chromium package. */

import { join } from 'node:path';
import { installDebianPackages } from './debian';
import { isExecutable, onPath } from './find';

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
  'chrome',
  'msedge',
];

/**
 * Returns the browser's executable; installs Chromium if no browser is found. `GEMM_BROWSER`
 * overrides the search.
 */
export async function ensureBrowser(): Promise<string> {
  const found = findBrowser();
  if (found !== undefined) return found;
  await installDebianPackages({
    what: 'Chromium',
    packages: ['chromium'],
    optional: ['chromium-headless-shell'],
    present: () => findBrowser() !== undefined,
  });
  const installed = findBrowser();
  if (installed === undefined)
    throw new Error(
      'Chromium was installed but is not on PATH. Fix: set GEMM_BROWSER to the path of a Chromium, Chrome or Edge.',
    );
  return installed;
}

/**
 * Returns the browser for pages without a window, or undefined if there is none. Chromium's
 * headless shell is preferred, because it needs less CPU time.
 */
export const findHeadlessBrowser = (): string | undefined =>
  chosenBrowser() ?? onPath('chromium-headless-shell', 'chrome-headless-shell') ?? findBrowser();

export const findBrowser = (): string | undefined =>
  chosenBrowser() ?? onPath(...NAMES) ?? usualPlaces().find(isExecutable);

function chosenBrowser(): string | undefined {
  const chosen = process.env['GEMM_BROWSER'];
  if (chosen === undefined || chosen === '') return undefined;
  if (isExecutable(chosen)) return chosen;
  throw new Error(
    `GEMM_BROWSER is ${chosen}, which is not an executable file. Fix: set it to the path of a Chromium, Chrome or Edge.`,
  );
}

function usualPlaces(): readonly string[] {
  if (process.platform === 'darwin')
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(name =>
      join('/Applications', `${name}.app`, 'Contents', 'MacOS', name),
    );
  if (process.platform === 'win32')
    return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
      .flatMap(name => process.env[name] ?? [])
      .flatMap(folder => [
        join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
        join(folder, 'Chromium', 'Application', 'chrome.exe'),
        join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
      ]);
  return ['/snap/bin/chromium', '/opt/google/chrome/chrome', '/usr/lib/chromium/chromium'];
}
