/** Dawn for users: offered where it is missing, installed only after they agreed to what is downloaded, removed on request. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { DawnAbility } from '../abilities';
import { icons } from '../display/iconText';
import {
  askWithInformation,
  showErrorMessage,
  showInformationMessage,
  showProgress,
  showWarningMessage,
} from '../display/notify';
import type { PickItem } from '../display/picks';

export interface DawnParts {
  /** Absent where no program can be started. */
  readonly ability: DawnAbility | undefined;
  readonly isTrusted: () => boolean;
  readonly log: Pick<vscode.LogOutputChannel, 'info' | 'warn'>;
}

export interface Dawn {
  /** Asks, installs, and says what it runs on. Only in a trusted workspace. */
  readonly install: () => Promise<void>;
  /** Only in a trusted workspace. */
  readonly remove: () => Promise<void>;
  /** Shows what went wrong, with the offer to install Dawn where that is what was missing. */
  readonly offer: (message: string) => Promise<void>;
  /** What can be done about it in the list of tools. */
  readonly actions: () => Promise<readonly DawnAction[]>;
}

export type DawnAction = PickItem & { readonly run: () => Promise<void> };

export function createDawn(parts: DawnParts): Dawn {
  const { ability, log } = parts;
  let installing: Promise<void> | undefined;

  const install = async (): Promise<void> => {
    if (ability === undefined || !parts.isTrusted() || !(await agrees(ability))) return;
    const ended = await withProgress(ability);
    if (!ended.ok) {
      const text = `${ended.why} ${ended.next}`;
      log.warn(text);
      void (ended.cancelled ? showInformationMessage(text) : showErrorMessage(text));
      return;
    }
    log.info(`Installed ${ability.about.name} ${ability.about.version}: ${ability.about.folder}`);
    await sayWhatItRunsOn(ability);
  };
  // Two buttons of one window ask once.
  const installOnce = (): Promise<void> =>
    (installing ??= install().finally(() => {
      installing = undefined;
    }));

  const remove = async (): Promise<void> => {
    if (ability === undefined) {
      void showInformationMessage(
        t('There is no Dawn in a browser: no program can be started here.'),
      );
      return;
    }
    if (!parts.isTrusted()) return;
    const ended = await ability.remove();
    log.info(ended.ok ? `Removed ${ability.about.folder}` : ended.why);
    void (ended.ok
      ? showInformationMessage(t('Dawn was removed: {0}', ability.about.folder))
      : showErrorMessage(`${ended.why} ${ended.next}`));
  };

  return {
    install: installOnce,
    remove,
    offer: async message => {
      const dawn = await ability?.locate();
      const button = t('Install Dawn');
      const offered = dawn?.found === false && dawn.installable ? [button] : [];
      const picked = await showErrorMessage(message, ...offered);
      if (picked === button) await installOnce();
    },
    actions: async () => {
      const dawn = await ability?.locate();
      if (dawn === undefined || ability === undefined) return [];
      if (dawn.found && dawn.installed) {
        const label = icons`$(trash) ${t('Remove Dawn')}`;
        return [{ label, detail: ability.about.folder, run: remove }];
      }
      if (dawn.found || !dawn.installable) return [];
      const label = icons`$(cloud-download) ${t('Install Dawn')}`;
      const detail = t('Asks before anything is downloaded.');
      return [{ label, detail, run: installOnce }];
    },
  };
}

/** Says what is downloaded from where, where it goes, and how to be rid of it. */
async function agrees({ about }: DawnAbility): Promise<boolean> {
  const { name, version, downloadMegabytes, diskMegabytes, folder } = about;
  const { remoteName } = vscode.env;
  const detail = [
    t(
      'npm downloads {0} {1} and what it depends on, about {2} MB, from the registry that npm is configured with. Every archive must have the hash that this extension knows, and no script of a package is run.',
      name,
      version,
      downloadMegabytes,
    ),
    remoteName === undefined
      ? t('It takes {0} MB in {1}', diskMegabytes, folder)
      : t('On the remote machine {0} it takes {1} MB in {2}', remoteName, diskMegabytes, folder),
    t('GEMM: Remove Dawn, in the command palette, removes all of it.'),
  ].join('\n\n');
  const button = t('Install Dawn');
  const question = t('Install Dawn, which runs WebGPU kernels outside of a browser?');
  const answer = await askWithInformation(question, detail, button);
  return answer === button;
}

const withProgress = (ability: DawnAbility) =>
  showProgress(
    {
      location: vscode.ProgressLocation.Notification,
      cancellable: true,
      title: t('Installing Dawn ({0} MB)', ability.about.downloadMegabytes),
    },
    (_, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => {
        controller.abort();
      });
      return ability.install(controller.signal);
    },
  );

async function sayWhatItRunsOn(ability: DawnAbility): Promise<void> {
  const { version } = ability.about;
  const answer = await ability.probe();
  if (answer.available) {
    const text = t('Dawn {0} is installed and runs on {1}.', version, answer.device.name);
    void showInformationMessage(text);
    return;
  }
  const why = `${answer.why} ${answer.next}`;
  void showWarningMessage(t('Dawn {0} is installed, but: {1}', version, why));
}
