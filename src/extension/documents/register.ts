/** Loads the schedules that this workspace adopted, for specs without a schedule. */
import type * as vscode from 'vscode';
import type { Base, Feature } from '../shared/base';
import { AdoptedRows } from './adoptedRows';

export interface Documents extends Feature {
  /** Fires when a spec without a schedule may resolve to a different schedule. */
  readonly onDidAdopt: vscode.Event<void>;
}

export function registerDocuments({ log, failed }: Base): Documents {
  const adopted = new AdoptedRows(log);
  // Activation does not wait for this read.
  setTimeout(() => void adopted.load().catch(failed));
  return { onDidAdopt: adopted.onDidChange, subscriptions: [adopted] };
}
