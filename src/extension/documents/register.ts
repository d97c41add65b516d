/** Registers the schedules that this workspace adopted, for specs that do not name one. */
import type * as vscode from 'vscode';
import type { Base, Feature } from '../shared/base';
import { AdoptedRows } from './adoptedRows';

export interface Documents extends Feature {
  /** Fires when a spec without a schedule may resolve to another schedule. */
  readonly onDidAdopt: vscode.Event<void>;
}

export function registerDocuments({ log, failed }: Base): Documents {
  const adopted = new AdoptedRows(log);
  // Runs after activation, which does not wait for it.
  setTimeout(() => void adopted.load().catch(failed));
  return { onDidAdopt: adopted.onDidChange, subscriptions: [adopted] };
}
