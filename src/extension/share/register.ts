/** Registers *Share result*, *Copy link to this spec*, and the handler of links to specs. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromDocument } from '../documents/shown';
import { showErrorMessage } from '../display/notify';
import { sourceOf } from '../explorer/sourceOf';
import type { ExplorerFeature } from '../explorer/register';
import type { History } from '../history/register';
import { COMMANDS, SPEC_ENDING } from '../ids';
import { shownOfRun } from '../runs/actions';
import type { Runs } from '../runs/register';
import type { Base, Feature } from '../shared/base';
import { commandsOf, uriOf } from '../shared/commands';
import { compiledMessages } from '../toolchain/facts';
import type { Toolchain } from '../toolchain/register';
import { copyLink } from './copyLink';
import { openLink } from './openLink';
import { shareResult } from './shareResult';

export interface ShareParts extends Base {
  readonly history: History;
  readonly pages: ExplorerFeature;
  readonly runs: Pick<Runs, 'chosenRuns'>;
  readonly toolchain: Toolchain;
}

export interface Sharing extends Feature {
  /** Shares the content of the explorer. */
  readonly share: () => Promise<unknown>;
}

export function registerShare(parts: ShareParts): Sharing {
  const { abilities, context, failed, guard, history, pages, runs, toolchain } = parts;
  const { explorer } = pages;
  const { version } = context.extension.packageJSON as { readonly version: string };
  const facts = {
    capsule: abilities.capsule,
    version,
    runs: () => history.store.all(),
    compiled: () =>
      toolchain.compiler
        .known()
        .flatMap(compiledMessages)
        .filter(message => message.type === 'compiled'),
  };
  const share = (
    find: () => Promise<FromDocument>,
    followed: ReturnType<typeof explorer.followed>,
  ): Promise<unknown> =>
    guard(t('Sharing a result'), () =>
      withSource(find, shown => shareResult(shown, followed, facts)),
    );
  const command = commandsOf(parts);
  return {
    share: () =>
      share(
        () => Promise.resolve({ ok: true, shown: explorer.currentOrFresh() }),
        explorer.followed(),
      ),
    subscriptions: [
      command(COMMANDS.shareResult, argument => {
        const uri = uriOf(argument);
        // The explorer may show an edited kernel of another spec.
        const isSpec = uri?.path.endsWith(SPEC_ENDING) === true;
        return share(() => sourceOf(uri, pages), isSpec ? undefined : explorer.followed());
      }),
      command(COMMANDS.copyLink, argument =>
        withSource(() => sourceOf(uriOf(argument), pages), copyLink),
      ),
      vscode.commands.registerCommand(COMMANDS.shareRun, (argument: unknown, all: unknown) =>
        share(() => Promise.resolve(sourceOfRun(runs.chosenRuns(argument, all))), undefined).catch(
          failed,
        ),
      ),
      vscode.window.registerUriHandler({
        handleUri: uri => openLink(uri, explorer).catch(failed),
      }),
    ],
  };
}

async function withSource(
  find: () => Promise<FromDocument>,
  act: (shown: Extract<FromDocument, { ok: true }>['shown']) => Promise<void>,
): Promise<void> {
  const found = await find();
  if (found.ok) await act(found.shown);
  else void showErrorMessage(found.reason);
}

/** Returns the spec of the newest selected run. */
function sourceOfRun(runs: ReturnType<Runs['chosenRuns']>): FromDocument {
  const [run] = runs;
  const shown = run === undefined ? undefined : shownOfRun(run);
  return shown === undefined
    ? {
        ok: false,
        reason: t('This run has no spec to share. Fix: select a run of a generated kernel.'),
      }
    : { ok: true, shown };
}
