/** Guard of actions that require a trusted workspace. */
import { t } from '@vscode/l10n';

/**
 * Runs `act` in a trusted workspace. In Restricted Mode, shows that the action requires trust and
 * resolves to undefined.
 */
export type Guard = <T>(what: string, act: () => Promise<T>) => Promise<T | undefined>;

export const createGuard =
  (isTrusted: () => boolean, refuse: (message: string) => void): Guard =>
  async (what, act) => {
    if (isTrusted()) return await act();
    refuse(
      t(
        '{0} requires a trusted workspace: Restricted Mode does not run kernels or write files.',
        what,
      ),
    );
    return undefined;
  };
