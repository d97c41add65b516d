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
  /** Logs and shows an error that no caller handles. */
  readonly failed: (error: unknown) => void;
}

/** A resource that is disposed when the extension is deactivated. */
export interface Subscription {
  readonly dispose: () => unknown;
}

/** An active feature of the extension. */
export interface Feature {
  readonly subscriptions: readonly Subscription[];
}

/** Creates the log and the guard. The log is disposed with the extension. */
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
