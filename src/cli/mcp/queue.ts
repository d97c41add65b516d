/** Runs tasks one at a time, in the order of their calls. */

interface QueueOptions {
  readonly signal: AbortSignal;
  /** Called if the task has to wait. */
  readonly onWait: () => void;
}

export type Queue = <T>(task: () => Promise<T>, options: QueueOptions) => Promise<T>;

/** Returns a queue. A task that is aborted while it waits does not run. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  let running = 0;
  return async (task, { signal, onWait }) => {
    if (running > 0) onWait();
    running += 1;
    const before = last;
    const own = (async () => {
      await before.catch(() => undefined);
      signal.throwIfAborted();
      return await task();
    })();
    last = own;
    try {
      return await own;
    } finally {
      running -= 1;
    }
  };
}
