/** A lock file next to the protected file. If its owner was killed, the next process removes it. */
import * as fs from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { t } from '@vscode/l10n';
import { codeOf } from './text';

export interface FileLockOptions {
  readonly signal?: AbortSignal;
  readonly waitMs?: number;
}

/** Work under the lock takes milliseconds, so the owner of an older lock is gone. */
const STALE_MS = 10_000;
const RETRY_MS = 25;
/** Longer than the time after which any lock is stale. */
const WAIT_MS = 3 * STALE_MS;

/**
 * Creates the lock file. Returns the reason on abort, or if other processes keep the lock for too
 * long.
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
    // An abort only cancels the wait: a free lock is taken even after an abort.
    if (await isStale(lock)) await fs.rm(lock, { force: true });
    else if (signal?.aborted === true) return t('The wait for the lock {0} was cancelled.', lock);
    else if (performance.now() - start < waitMs) await wait(RETRY_MS);
    else return lockTimeout(lock, waitMs);
  }
}

/**
 * Returns whether a lock is stale. Future and past timestamps count equally: a clock may have been
 * set, or an archive unpacked.
 */
async function isStale(lock: string): Promise<boolean> {
  const found = await fs.lstat(lock).catch(() => undefined);
  return found?.isDirectory() === false && Math.abs(Date.now() - found.mtimeMs) > STALE_MS;
}

const lockTimeout = (lock: string, waitMs: number): string =>
  t(
    'Another process has held the lock {0} for {1} s. Fix: wait for it, or delete that file if no process uses it, then try again.',
    lock,
    Math.round(waitMs / 1000),
  );
