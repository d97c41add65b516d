/** What documents hold: the schedules that this workspace adopted, for specs that name none. */
import type * as vscode from 'vscode';
import type { Base, Feature } from '../shared/base';
import { AdoptedRows } from './adoptedRows';

export interface Documents extends Feature {
  /** A spec without a schedule may have another one now. */
  readonly onDidAdopt: vscode.Event<void>;
}

export function registerDocuments({ log, failed }: Base): Documents {
  const adopted = new AdoptedRows(log);
  // After activation, which does not wait for it.
  setTimeout(() => void adopted.load().catch(failed));
  return { onDidAdopt: adopted.onDidChange, subscriptions: [adopted] };
}
