/** Signals: the first one cancels the command, the second one ends the process whatever it waits for. */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { killAllGroups } from '../host/processGroup';
import { stopReading } from './input';
import { EXIT } from './result';

/** Time that a cancelled command has to stop its children. */
const GRACE_MS = 5000;
/** Time that file requests have to end after the command has, and how often they are looked at. */
const REQUESTS_MS = 1000;
const POLL_MS = 20;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The signal for commands, which the first of the system's signals aborts. */
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

/** Ends a command that was cancelled, with the exit code 130: file requests under way, such as removing files, end first. */
export async function endCancelled(): Promise<never> {
  const deadline = Date.now() + REQUESTS_MS;
  while (hasPendingFileRequest() && Date.now() < deadline) await setTimeoutPromise(POLL_MS);
  endInterrupted();
}

/** Ends with 130. A thread that waits in the system would block `process.exit`, so SIGINT itself ends the process then. */
export function endInterrupted(): never {
  if (process.platform !== 'win32' && hasPendingFileRequest()) {
    killAllGroups();
    for (const signal of SIGNALS) process.removeAllListeners(signal);
    // Shells report 130 for it, too.
    process.kill(process.pid, 'SIGINT');
    process.kill(process.pid, 'SIGKILL');
  }
  process.exit(EXIT.interrupted);
}

/** Whether a thread of the pool may be in a system call on a file. */
const hasPendingFileRequest = (): boolean =>
  process.getActiveResourcesInfo().some(name => name.startsWith('FSReq'));
