/**
 * Protects the runner from an unresponsive driver. Every wait has a time limit, and ends early if
 * the run is cancelled, the page is hidden, or the device is lost.
 */
import type { Abort } from '../core/measure/backend';
import type { Environment } from './environment';
import { Stop } from './stop';

export interface Guard {
  /**
   * Returns the result of `work`. If it takes longer than `limitMs`, interrupts the run with the
   * result of `late`.
   */
  readonly wait: <T>(work: Promise<T>, limitMs: number, late: () => Stop) => Promise<T>;
  readonly check: () => void;
  readonly stopped: () => Stop | undefined;
  /**
   * Interrupts the run: all current and later waits throw `stop`. Later interruptions have no
   * effect.
   */
  readonly interrupt: (stop: Stop) => void;
  readonly close: () => void;
}

const CANCELLED = 'Cancelled before completion.';
const HIDDEN =
  'The page was hidden, and hidden pages throttle timers and the GPU. Bring the page to the front and run again.';

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
          // The work has started and cannot be stopped, so its errors are ignored.
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
