/** Locks a GPU, so that only one process at a time measures on it. */
import { t } from '@vscode/l10n';
import { takeLock, type LockOptions, type NamedLock } from '../../namedLock';

export interface NotLocked {
  readonly failed: string;
}

/**
 * Locks the GPU with this UUID. Returns undefined if the wait was cancelled, and a message if the
 * wait took too long. If locks are unavailable, the result has a note that other processes may use
 * the GPU.
 */
export async function lockGpu(
  uuid: string,
  options: LockOptions,
): Promise<NamedLock | NotLocked | undefined> {
  const lock = await takeLock(uuid, options);
  if (lock === undefined) return undefined;
  if ('heldBy' in lock) {
    const owner = lock.heldBy === '' ? t('another process') : lock.heldBy;
    const minutes = Math.round(lock.waitMs / 60_000);
    const failed = t(
      'The GPU {0} is still reserved by {1} after {2} minutes. Fix: wait for that process or end it, then run again.',
      uuid,
      owner,
      minutes,
    );
    return { failed };
  }
  if (lock.note === undefined) return lock;
  const note = `The GPU could not be reserved, so another process may have used it during the run: ${lock.note}.`;
  return { ...lock, note };
}
