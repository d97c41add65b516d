/** Restricted Mode: every action that starts a process or writes a file passes this guard. */
import { t } from '@vscode/l10n';

/** Runs `act` only in a trusted workspace; otherwise shows which action requires trust. */
export type Guard = <T>(what: string, act: () => Promise<T>) => Promise<T | undefined>;

export const createGuard =
  (isTrusted: () => boolean, refuse: (message: string) => void): Guard =>
  async (what, act) => {
    if (isTrusted()) return await act();
    refuse(
      t('{0} requires a trusted workspace: Restricted Mode does not run or write anything.', what),
    );
    return undefined;
  };
