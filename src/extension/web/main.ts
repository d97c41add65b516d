/**
 * Entry point for the web extension host, as in vscode.dev. Node.js is not available, and processes
 * cannot be started.
 */
import type * as vscode from 'vscode';
import { start } from '../extension';
import { webAbilities } from './abilities';

export function activate(context: vscode.ExtensionContext): void {
  start(context, webAbilities);
}
