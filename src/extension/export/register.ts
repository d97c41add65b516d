/** Registers *Export to project*. */
import { t } from '@vscode/l10n';
import { showErrorMessage } from '../display/notify';
import type { ExplorerFeature } from '../explorer/register';
import { sourceOf } from '../explorer/sourceOf';
import type { History } from '../history/register';
import { COMMANDS } from '../ids';
import type { Base, Feature } from '../shared/base';
import { commandsOf, uriOf } from '../shared/commands';
import { exportShown } from './exportShown';

export interface ExportParts extends Base {
  readonly history: History;
  readonly pages: ExplorerFeature;
}

export function registerExport(parts: ExportParts): Feature {
  const { abilities, context, guard, history, pages } = parts;
  const { version } = context.extension.packageJSON as { readonly version: string };
  const facts = { files: abilities.files, runs: () => history.store.all(), version };
  const run = (argument: unknown): Promise<unknown> =>
    guard(t('Exporting a project'), async () => {
      const found = await sourceOf(uriOf(argument), pages);
      if (found.ok) await exportShown(found.shown, facts);
      else void showErrorMessage(found.reason);
    });
  return { subscriptions: [commandsOf(parts)(COMMANDS.exportProject, run)] };
}
