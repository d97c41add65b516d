/** One job at a time: the GPU, and every number it gives, belongs to a single run. */

export interface JobQueue {
  /** Runs `job` after those before it; `waiting` is called when there are any. */
  readonly run: <T>(job: () => Promise<T>, waiting?: () => void) => Promise<T>;
  /** Jobs running and waiting. */
  readonly size: () => number;
}

/** A queue a device: what runs on one GPU does not wait for another. */
export function createJobQueues(): (device: string) => JobQueue {
  const queues = new Map<string, JobQueue>();
  return device => {
    const queue = queues.get(device) ?? createJobQueue();
    queues.set(device, queue);
    return queue;
  };
}

export function createJobQueue(): JobQueue {
  let last: Promise<unknown> = Promise.resolve();
  let size = 0;
  return {
    size: () => size,
    run: (job, waiting) => {
      if (size > 0) waiting?.();
      size += 1;
      // A job that fails must not keep the next one from running.
      const result = last.then(job, job).finally(() => {
        size -= 1;
      });
      last = result.catch(() => undefined);
      return result;
    },
  };
}
