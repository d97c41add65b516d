/** Entry point in a browser's web worker, such as vscode.dev: no Node, no processes. */
import type * as vscode from 'vscode';
import { start } from '../extension';
import { webAbilities } from './abilities';

export function activate(context: vscode.ExtensionContext): void {
  start(context, webAbilities);
}
