/**
 * All waits of the runner use a guard, so that an unresponsive driver cannot block it. A wait ends
 * when the work finishes, times out, or when the run is cancelled, hidden or loses its device.
 */
import type { Abort } from '../core/measure/backend';
import type { Environment } from './environment';
import { Stop } from './stop';

export interface Guard {
  /** Returns the result of `work`; throws the result of `late` if it exceeds `limitMs`. */
  readonly wait: <T>(work: Promise<T>, limitMs: number, late: () => Stop) => Promise<T>;
  /** Throws if the run has been interrupted. */
  readonly check: () => void;
  /** Why the run was interrupted, if it was. */
  readonly stopped: () => Stop | undefined;
  /** Ends the run: every current and later wait throws `stop`. The first interruption decides. */
  readonly interrupt: (stop: Stop) => void;
  readonly close: () => void;
}

const CANCELLED = 'Cancelled before completion.';
const HIDDEN =
  'The page was hidden, where timers and the GPU are throttled. Bring it to the front and run again.';

export function createGuard(env: Environment, abort: Abort): Guard {
  const waits = new Set<(stop: Stop) => void>();
  let stopped: Stop | undefined;

  const interrupt = (stop: Stop): void => {
    stopped ??= stop;
    for (const end of waits) end(stopped);
  };
  const cancel = (): void => {
    interrupt(new Stop('cancelled', CANCELLED, waits.size > 0));
  };
  const hide = (): void => {
    interrupt(new Stop('cancelled', HIDDEN, waits.size > 0));
  };
  abort.addEventListener('abort', cancel);
  const stopWatching = env.onHidden(hide);
  if (abort.aborted) cancel();
  if (!env.visible()) hide();

  return {
    interrupt,
    stopped: () => stopped,
    check: () => {
      if (stopped !== undefined) throw stopped;
    },
    wait: (work, limitMs, late) =>
      new Promise((resolve, reject) => {
        if (stopped !== undefined) {
          // The work was already started; its result is ignored.
          work.catch(() => undefined);
          reject(stopped);
          return;
        }
        const interrupted = (stop: Stop): void => {
          done();
          reject(stop);
        };
        const cancelTimer = env.after(limitMs, () => {
          interrupt(late());
        });
        const done = (): void => {
          waits.delete(interrupted);
          cancelTimer();
        };
        waits.add(interrupted);
        work.then(resolve, reject).finally(done);
      }),
    close: () => {
      abort.removeEventListener('abort', cancel);
      stopWatching();
      waits.clear();
    },
  };
}
