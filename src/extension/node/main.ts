/** Entry point for the Node extension host. */
import type * as vscode from 'vscode';
import { start } from '../extension';
import { endPrograms, nodeAbilities } from './abilities';

export function activate(context: vscode.ExtensionContext): void {
  start(
    context,
    nodeAbilities(() => context.globalStorageUri.fsPath),
  );
}

export function deactivate(): void {
  endPrograms();
}
