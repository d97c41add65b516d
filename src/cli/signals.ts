/** The first signal cancels the command; the second signal ends the process immediately. */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { killAllGroups } from '../host/processGroup';
import { stopReading } from './input';
import { EXIT } from './result';

/** Time for a cancelled command to stop its children. */
const GRACE_MS = 5000;
/** Time for pending file requests to finish after the command, and polling interval. */
const REQUESTS_MS = 1000;
const POLL_MS = 20;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns the abort signal of commands, triggered by the first system signal. */
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
 * Ends a cancelled command with exit code 130, after pending file requests, such as removing files.
 */
export async function endCancelled(): Promise<never> {
  const deadline = Date.now() + REQUESTS_MS;
  while (hasPendingFileRequest() && Date.now() < deadline) await setTimeoutPromise(POLL_MS);
  endInterrupted();
}

/**
 * Ends with 130. `process.exit` would block on a thread in a system call, so the process sends
 * itself SIGINT then.
 */
export function endInterrupted(): never {
  if (process.platform !== 'win32' && hasPendingFileRequest()) {
    killAllGroups();
    for (const signal of SIGNALS) process.removeAllListeners(signal);
    // Shells also report 130 for SIGINT.
    process.kill(process.pid, 'SIGINT');
    process.kill(process.pid, 'SIGKILL');
  }
  process.exit(EXIT.interrupted);
}

/** Returns whether a thread of the libuv pool may be blocked in a file system call. */
const hasPendingFileRequest = (): boolean =>
  process.getActiveResourcesInfo().some(name => name.startsWith('FSReq'));
