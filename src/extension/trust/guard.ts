/** Restricted Mode: whatever starts a process or writes a file passes this guard itself. */
import { t } from '@vscode/l10n';

/** Runs `act` only in a trusted workspace; otherwise says what it needs trust for. */
export type Guard = <T>(what: string, act: () => Promise<T>) => Promise<T | undefined>;

export const createGuard =
  (isTrusted: () => boolean, refuse: (message: string) => void): Guard =>
  async (what, act) => {
    if (isTrusted()) return await act();
    refuse(t('{0} needs a trusted workspace: in Restricted Mode nothing is run or written.', what));
    return undefined;
  };
