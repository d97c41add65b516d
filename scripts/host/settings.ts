/** User settings of the host, which keep the workbench quiet. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const QUIET: Readonly<Record<string, unknown>> = {
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off',
  'git.openRepositoryInParentFolders': 'never',
  'security.workspace.trust.startupPrompt': 'never',
  'telemetry.telemetryLevel': 'off',
  'window.confirmBeforeClose': 'never',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
};

export async function writeSettings(
  dataFolder: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const text = JSON.stringify({ ...QUIET, ...settings }, undefined, 2);
  for (const name of ['User', 'Machine']) {
    const folder = join(dataFolder, 'data', name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'settings.json'), text);
  }
}
