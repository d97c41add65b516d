/** The display language: VS Code reads the bundle of the manifest's `l10n` folder, everybody here asks `t`. */
import { config } from '@vscode/l10n';
import * as vscode from 'vscode';

/** Before any text is made. Without a bundle for the display language, texts are English. */
export function useDisplayLanguage(): void {
  config({ contents: vscode.l10n.bundle ?? {} });
}
