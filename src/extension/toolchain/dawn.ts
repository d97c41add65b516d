/**
 * Prompts to install and remove Dawn. It is downloaded only after the user agrees, and removed on
 * request.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { setContext } from '../shared/commands';
import type { DawnAbility } from '../abilities';
import { icons } from '../display/iconLabel';
import {
  askWithInformation,
  showErrorMessage,
  showInformationMessage,
  showProgress,
  showWarningMessage,
} from '../display/notify';
import type { PickItem } from '../display/picks';

export interface DawnParts {
  /** Undefined on hosts that cannot start processes. */
  readonly ability: DawnAbility | undefined;
  readonly isTrusted: () => boolean;
  readonly log: Pick<vscode.LogOutputChannel, 'info' | 'warn'>;
}

export interface Dawn {
  /** Asks for consent, installs Dawn and reports the adapter. Requires a trusted workspace. */
  readonly install: () => Promise<void>;
  readonly remove: () => Promise<void>;
  /** Shows the error, with a button that installs Dawn if it is missing. */
  readonly offer: (message: string) => Promise<void>;
  readonly actions: () => Promise<readonly DawnAction[]>;
}

export type DawnAction = PickItem & { readonly run: () => Promise<void> };

/** Context key that shows *Remove Dawn*. */
const INSTALLED_KEY = 'gemm.dawnInstalled';

export function createDawn(parts: DawnParts): Dawn {
  const { ability, log } = parts;
  let installing: Promise<void> | undefined;
  // Unlike `locate`, this check starts no process.
  const setKey = async (): Promise<void> => {
    if (ability === undefined) return;
    const exists = await vscode.workspace.fs.stat(vscode.Uri.file(ability.about.folder)).then(
      () => true,
      () => false,
    );
    setContext(INSTALLED_KEY, exists);
  };
  void setKey();

  const install = async (): Promise<void> => {
    if (ability === undefined || !parts.isTrusted() || !(await confirmInstall(ability))) return;
    const ended = await withProgress(ability);
    if (!ended.ok) {
      const text = `${ended.why} ${ended.next}`;
      log.warn(text);
      void (ended.cancelled ? showInformationMessage(text) : showErrorMessage(text));
      return;
    }
    void setKey();
    log.info(`Installed ${ability.about.name} ${ability.about.version}: ${ability.about.folder}`);
    await showAdapter(ability);
  };
  // The two install buttons in a window share a single prompt.
  const installOnce = (): Promise<void> =>
    (installing ??= install().finally(() => {
      installing = undefined;
    }));

  const remove = async (): Promise<void> => {
    if (ability === undefined) {
      void showInformationMessage(
        t(
          'Dawn is not available in the web extension host, which cannot start processes. Fix: open the folder in desktop VS Code.',
        ),
      );
      return;
    }
    if (!parts.isTrusted()) return;
    const ended = await ability.remove();
    void setKey();
    log.info(ended.ok ? `Removed ${ability.about.folder}` : ended.why);
    void (ended.ok
      ? showInformationMessage(t('Dawn was removed from {0}.', ability.about.folder))
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
      const detail = t('Requires your confirmation before the download.');
      return [{ label, detail, run: installOnce }];
    },
  };
}

async function confirmInstall({ about }: DawnAbility): Promise<boolean> {
  const { name, version, downloadMegabytes, diskMegabytes, folder } = about;
  const { remoteName } = vscode.env;
  const detail = [
    t(
      'npm downloads {0} {1} and its dependencies, about {2} MB, from its configured registry. Each archive must match a hash stored in this extension. No package scripts are run.',
      name,
      version,
      downloadMegabytes,
    ),
    remoteName === undefined
      ? t('Disk space: {0} MB in {1}', diskMegabytes, folder)
      : t('Disk space on remote machine {0}: {1} MB in {2}', remoteName, diskMegabytes, folder),
    t('To uninstall, run "GEMM: Remove Dawn" from the command palette.'),
  ].join('\n\n');
  const button = t('Install Dawn');
  const question = t('Install Dawn to run WebGPU kernels outside a browser?');
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

async function showAdapter(ability: DawnAbility): Promise<void> {
  const { version } = ability.about;
  const answer = await ability.probe();
  if (answer.available) {
    const text = t('Dawn {0} is installed and runs on {1}.', version, answer.device.name);
    void showInformationMessage(text);
    return;
  }
  const why = `${answer.why} ${answer.next}`;
  void showWarningMessage(t('Dawn {0} is installed, but unusable: {1}', version, why));
}
