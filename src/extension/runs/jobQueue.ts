/** Runs one job at a time, because timings are only valid if the GPU is not shared. */

export interface JobQueue {
  /** Runs `job` after earlier jobs; calls `waiting` if any are pending. */
  readonly run: <T>(job: () => Promise<T>, waiting?: () => void) => Promise<T>;
  /** Number of running and waiting jobs. */
  readonly size: () => number;
}

/** Creates one queue per device, so that jobs on different GPUs do not wait for each other. */
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
      // A failed job must not block the next job.
      const result = last.then(job, job).finally(() => {
        size -= 1;
      });
      last = result.catch(() => undefined);
      return result;
    },
  };
}
