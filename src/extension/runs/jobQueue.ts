/** Job queue that runs one job at a time, because concurrent jobs on one GPU distort timings. */

export interface JobQueue {
  /**
   * Runs `job` after all earlier jobs. If an earlier job is running or waiting, it calls `waiting`
   * first.
   */
  readonly run: <T>(job: () => Promise<T>, waiting?: () => void) => Promise<T>;
  readonly size: () => number;
}

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
