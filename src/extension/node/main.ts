/** Entry point for the Node extension host. */
import type * as vscode from 'vscode';
import { start } from '../extension';
import { nodeAbilities } from './abilities';
import { endPrograms } from './loadPrograms';

export function activate(context: vscode.ExtensionContext): void {
  start(
    context,
    nodeAbilities(() => context.globalStorageUri.fsPath),
  );
}

export function deactivate(): void {
  endPrograms();
}
