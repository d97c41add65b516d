/** Services that every feature receives, and the feature that activation returns. */
import * as vscode from 'vscode';
import type { Abilities } from '../abilities';
import { showErrorMessage } from '../display/notify';
import { registerTrust } from '../trust/register';
import type { Guard } from '../trust/guard';

export interface Base {
  readonly context: vscode.ExtensionContext;
  readonly abilities: Abilities;
  readonly log: vscode.LogOutputChannel;
  readonly guard: Guard;
  readonly failed: (error: unknown) => void;
}

export interface Subscription {
  readonly dispose: () => unknown;
}

export interface Feature {
  readonly subscriptions: readonly Subscription[];
}

export function createBase(context: vscode.ExtensionContext, abilities: Abilities): Base {
  const log = vscode.window.createOutputChannel('GEMM Explorer', { log: true });
  context.subscriptions.push(log);
  const failed = (error: unknown): void => {
    log.error(error instanceof Error ? error : String(error));
    const text = error instanceof Error ? error.message : String(error);
    void showErrorMessage(`GEMM Explorer: ${text}`);
  };
  return { context, abilities, log, guard: registerTrust(), failed };
}
