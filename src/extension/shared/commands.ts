/** Registers commands that take a file or a kernel. */
import * as vscode from 'vscode';
import type { CommandId } from '../ids';
import type { Base } from './base';
import { decodeKernelArgument } from '../../hostValues';

/** Returns a function that registers commands whose errors are logged and shown. */
export const commandsOf =
  ({ failed }: Pick<Base, 'failed'>) =>
  (id: CommandId, run: (argument: unknown) => Promise<unknown>): vscode.Disposable =>
    vscode.commands.registerCommand(id, (argument: unknown) => run(argument).catch(failed));

export function uriOf(argument: unknown): vscode.Uri | undefined {
  const decoded = decodeKernelArgument(argument);
  return decoded === undefined ? undefined : vscode.Uri.parse(decoded.uri, true);
}

/** Sets a context key of `when` clauses in package.json. */
export const setContext = (key: string, value: string | boolean): void =>
  void vscode.commands.executeCommand('setContext', key, value);
