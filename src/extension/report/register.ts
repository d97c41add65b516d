/** Registers *Export report*. */
import { t } from '@vscode/l10n';
import type { ExplorerFeature } from '../explorer/register';
import type { History } from '../history/register';
import { COMMANDS } from '../ids';
import type { Base, Feature } from '../shared/base';
import { commandsOf } from '../shared/commands';
import type { Toolchain } from '../toolchain/register';
import { exportReport } from './report';

export interface ReportParts extends Base {
  readonly history: History;
  readonly pages: ExplorerFeature;
  readonly toolchain: Toolchain;
}

export interface Reports extends Feature {
  readonly export: () => Promise<unknown>;
}

export function registerReport(parts: ReportParts): Reports {
  const { abilities, guard, history, pages, toolchain } = parts;
  const { explorer } = pages;
  const { compiler } = toolchain;
  const facts = {
    files: abilities.files,
    runs: () => history.store.all(),
    factsOf: compiler.factsOf.bind(compiler),
  };
  const report = (): Promise<unknown> =>
    guard(t('Exporting a report'), () =>
      exportReport(explorer.currentOrFresh(), explorer.followed(), facts),
    );
  return {
    export: report,
    subscriptions: [commandsOf(parts)(COMMANDS.exportReport, report)],
  };
}
