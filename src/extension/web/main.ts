/**
 * Entry point for the web worker of a browser, such as vscode.dev. Node is not available, and
 * processes cannot be started.
 */
import type * as vscode from 'vscode';
import { start } from '../extension';
import { webAbilities } from './abilities';

export function activate(context: vscode.ExtensionContext): void {
  start(context, webAbilities);
}
