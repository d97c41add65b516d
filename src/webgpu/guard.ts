/**
 * Every wait of the runner goes through a guard, so that no promise of a driver can hang it: the wait
 * ends when the work does, when its time is up, or when the run is cancelled, hidden or loses its device.
 */
import type { Abort } from '../core/measure/backend';
import type { Environment } from './environment';
import { Stop } from './stop';

export interface Guard {
  /** The result of `work`; throws what `late` makes when it takes longer than `limitMs`. */
  readonly wait: <T>(work: Promise<T>, limitMs: number, late: () => Stop) => Promise<T>;
  /** Throws when the run has been interrupted. */
  readonly check: () => void;
  /** Why the run was interrupted, if it was. */
  readonly stopped: () => Stop | undefined;
  /** Ends the run: every wait, now and later, throws `stop`. The first interruption counts. */
  readonly interrupt: (stop: Stop) => void;
  readonly close: () => void;
}

const CANCELLED = 'Cancelled before it was done.';
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
          // The work was started all the same; what becomes of it no longer matters.
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
