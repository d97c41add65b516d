/** One VS Code with the hostile workspace open, everything around it watched. */
import { join } from 'node:path';
import { onPath } from '../../scripts/install/find';
import { ensureInstalled } from '../../scripts/install/index';
import { projectRoot } from '../../scripts/install/project';
import { startHost, type Host } from '../../scripts/vscodeHost';
import type { HostileFile, Traps } from './corpus/entry';
import { companion } from './drive/companion';
import { bait, type Screen } from './drive/screen';
import { watchBrowser, type Observers } from './observe';
import { putAll, surroundings, type Surroundings } from './place';
import { traceArguments } from './watch/processes';
import { listen } from './watch/traps';

export type Trust = 'trusted' | 'restricted';

export interface Hostile {
  readonly host: Host;
  readonly place: Surroundings;
  readonly files: readonly HostileFile[];
  readonly observers: Observers;
  readonly screen: Screen;
  readonly close: () => Promise<void>;
}

const COMPANION = join(projectRoot(), 'out', 'test', 'hostile', 'companion');

export async function openHostile(
  trust: Trust,
  filesOf: (traps: Traps) => readonly HostileFile[],
): Promise<Hostile> {
  const listener = await listen();
  const place = await surroundings();
  const { authority } = listener;
  const files = filesOf({ authority, canaries: place.outside });
  await putAll(place, files);
  const installed = await ensureInstalled();
  const strace = onPath('strace');
  const trace = strace === undefined ? undefined : join(place.records, 'strace');
  const under =
    strace === undefined || trace === undefined
      ? {}
      : { under: [strace, ...traceArguments(trace)] as [string, ...string[]] };
  const host = await startHost({
    workspace: place.workspace,
    trust,
    width: 1400,
    height: 900,
    ...under,
    companions: [COMPANION],
    env: place.env,
    settings: {
      'git.enabled': false,
      // VS Code itself downloads the $schema of a trusted file, and makes every address of a text a
      // link.
      'json.schemaDownload.enable': false,
      'editor.links': false,
      'extensions.autoCheckUpdates': false,
      'workbench.hover.delay': 50,
    },
  });
  const foreign = watchBrowser(host.page.context(), new URL(host.url).origin);
  const ask = await companion(place.records);
  const screen: Screen = {
    page: host.page,
    ask,
    bait: bait(authority),
    live: [],
    during: { what: '' },
    counts: { clicks: 0, notifications: 0, hovers: 0, dialogs: 0 },
  };
  const vscode = join(installed.server, '..', '..', '..', '..', '..', '..');
  return {
    host,
    place,
    files,
    screen,
    observers: { place, listener, foreign, trace, programs: { vscode } },
    close: async () => {
      await host.close();
      await listener.close();
      await place.remove();
    },
  };
}
