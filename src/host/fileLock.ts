/**
 * Implements a lock file next to the protected file. If its owner was killed, the next process
 * removes the lock file.
 */
import * as fs from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { t } from '@vscode/l10n';
import { codeOf } from './text';

export interface FileLockOptions {
  readonly signal?: AbortSignal;
  readonly waitMs?: number;
}

/**
 * Age in milliseconds above which a lock is stale. Work under the lock takes milliseconds, so the
 * owner of a stale lock has probably ended.
 */
const STALE_MS = 10_000;
const RETRY_MS = 25;
/** Maximum wait in milliseconds, which is longer than the time after which a lock is stale. */
const WAIT_MS = 3 * STALE_MS;

/**
 * Creates the lock file. Returns undefined on success, and a message if the wait was aborted or
 * took too long.
 */
export async function takeFileLock(
  lock: string,
  { signal, waitMs = WAIT_MS }: FileLockOptions = {},
): Promise<string | undefined> {
  const start = performance.now();
  for (;;) {
    try {
      await (await fs.open(lock, 'wx')).close();
      return undefined;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    // An abort only ends the wait. If the lock is free, it is taken even after an abort.
    if (await isStale(lock)) await fs.rm(lock, { force: true });
    else if (signal?.aborted === true) return t('The wait for the lock {0} was cancelled.', lock);
    else if (performance.now() - start < waitMs) await wait(RETRY_MS);
    else return lockTimeout(lock, waitMs);
  }
}

/**
 * Returns whether a lock is stale. Future timestamps also count as stale, because the clock may
 * have been changed.
 */
async function isStale(lock: string): Promise<boolean> {
  const found = await fs.lstat(lock).catch(() => undefined);
  return found?.isDirectory() === false && Math.abs(Date.now() - found.mtimeMs) > STALE_MS;
}

const lockTimeout = (lock: string, waitMs: number): string =>
  t(
    'Another process has held the lock {0} for {1} s. Fix: wait for that process, or delete the lock file if no process uses it. Then try again.',
    lock,
    Math.round(waitMs / 1000),
  );
