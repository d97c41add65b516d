/** Registers *Tune*. */
import { t } from '@vscode/l10n';
import type { ExplorerFeature } from '../explorer/register';
import type { History } from '../history/register';
import { COMMANDS } from '../ids';
import type { Runs } from '../runs/register';
import type { Base, Feature } from '../shared/base';
import { commandsOf, uriOf } from '../shared/commands';
import type { Toolchain } from '../toolchain/register';
import { tuneOnCluster } from './cluster';
import { Tuner } from './tuner';

export interface TuneParts extends Base {
  readonly pages: ExplorerFeature;
  readonly history: History;
  readonly runs: Pick<Runs, 'queueOf'>;
  readonly toolchain: Toolchain;
}

export interface Tuning extends Feature {
  readonly tuner: Tuner;
}

export function registerTune(parts: TuneParts): Tuning {
  const { abilities, failed, guard, history, log, pages, runs, toolchain } = parts;
  const { explorer, shown, onPage } = pages;
  const { dawn, toolChain } = toolchain;
  const { version } = parts.context.extension.packageJSON as { readonly version: string };
  const tuner = new Tuner({
    abilities,
    dawn,
    toolChain,
    queueOf: runs.queueOf,
    shown,
    open: explorer.open.bind(explorer),
    post: explorer.post.bind(explorer),
    keep: async (kept, folder) => {
      for (const run of kept) await history.store.add(run, folder);
    },
    log,
    failed,
  });
  return {
    tuner,
    subscriptions: [
      tuner,
      onPage(() => {
        tuner.tell();
      }),
      commandsOf(parts)(COMMANDS.tune, argument =>
        guard(t('Tuning'), () => tuner.start(uriOf(argument))),
      ),
      commandsOf(parts)(COMMANDS.tuneOnCluster, argument =>
        guard(t('Tuning on a cluster'), () =>
          tuneOnCluster(uriOf(argument), tuner, { start: abilities.tuneOnCluster, version }),
        ),
      ),
    ],
  };
}
