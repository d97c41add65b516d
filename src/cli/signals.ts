/**
 * Handles signals. The first signal cancels the command, and the second signal ends the process.
 */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { killAllGroups } from '../host/processGroup';
import { stopReading } from './input';
import { EXIT } from './result';

/** Time limit in milliseconds for a cancelled command to stop its child processes. */
const GRACE_MS = 5000;
/**
 * Time limit in milliseconds for pending file requests of a cancelled command, and the polling
 * interval.
 */
const REQUESTS_MS = 1000;
const POLL_MS = 20;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function watchSignals(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) endInterrupted();
    controller.abort();
    stopReading();
    setTimeout(endInterrupted, GRACE_MS);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return controller.signal;
}

/**
 * Ends a cancelled command with exit code 130. Waits at most `REQUESTS_MS` for pending file
 * requests, such as deletions.
 */
export async function endCancelled(): Promise<never> {
  const deadline = Date.now() + REQUESTS_MS;
  while (hasPendingFileRequest() && Date.now() < deadline) await setTimeoutPromise(POLL_MS);
  endInterrupted();
}

/**
 * Ends the process with exit code 130. `process.exit` would wait for a thread that is blocked in a
 * system call, so the process kills itself with SIGINT in this case.
 */
export function endInterrupted(): never {
  if (process.platform !== 'win32' && hasPendingFileRequest()) {
    killAllGroups();
    for (const signal of SIGNALS) process.removeAllListeners(signal);
    // Shells also report SIGINT as exit code 130.
    process.kill(process.pid, 'SIGINT');
    process.kill(process.pid, 'SIGKILL');
  }
  process.exit(EXIT.interrupted);
}

const hasPendingFileRequest = (): boolean =>
  process.getActiveResourcesInfo().some(name => name.startsWith('FSReq'));
