/**
 * Display language: VS Code loads the bundle from the manifest's `l10n` folder; all code uses `t`.
 */
import { config } from '@vscode/l10n';
import * as vscode from 'vscode';

/**
 * Loads the language; must run before any text is created. Texts are English if the display
 * language has no bundle.
 */
export function useDisplayLanguage(): void {
  config({ contents: vscode.l10n.bundle ?? {} });
}
