/** What every feature is given, and what every feature gives back. */
import * as vscode from 'vscode';
import type { Abilities } from '../abilities';
import { showErrorMessage } from '../display/notify';
import { registerTrust } from '../trust/register';
import type { Guard } from '../trust/guard';

export interface Base {
  readonly context: vscode.ExtensionContext;
  readonly abilities: Abilities;
  readonly log: vscode.LogOutputChannel;
  /** Runs an action only in a trusted workspace. */
  readonly guard: Guard;
  /** Logs and shows an error that no caller handles. */
  readonly failed: (error: unknown) => void;
}

/** Anything that ends with the extension. */
export interface Subscription {
  readonly dispose: () => unknown;
}

/** A part of the extension, for as long as the extension is active. */
export interface Feature {
  readonly subscriptions: readonly Subscription[];
}

/** Creates the log and the guard; the log ends with the extension. */
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
