/**
 * Display language. VS Code loads the translations from the `l10n` folder of the manifest, and all
 * code translates with `t`.
 */
import { config } from '@vscode/l10n';
import * as vscode from 'vscode';

/**
 * Loads the translations; call it before any text is created. Texts are English if there are no
 * translations.
 */
export function useDisplayLanguage(): void {
  const contents = vscode.l10n.bundle ?? {};
  config({ contents });
  // The core is a bundle with its own translations (scripts/build/coreLater.mjs).
  Object.assign(globalThis, { gemmTranslations: contents });
}
