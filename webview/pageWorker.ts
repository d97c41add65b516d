/**
 * Workers of the page. A webview can start workers only from a blob, so the scripts are fetched
 * first (docs/decisions.md).
 */
import type { Abort } from '../src/core/measure/backend';
import type { GemmSpec, Target } from '../src/core/spec/schema';

export interface SimulateTask {
  readonly type: 'simulate';
  readonly spec: GemmSpec;
  readonly target: Target;
  readonly seed: number;
}

/** Task that ranks schedules by predicted time; `most` limits the number of results. */
export interface RankTask {
  readonly type: 'rank';
  readonly spec: GemmSpec;
  readonly most: number;
}

/** Task that traces one thread block of the shortened kernel (core/trace). */
export interface TraceTask {
  readonly type: 'trace';
  readonly spec: GemmSpec;
  readonly target: Target;
  /** Position of the barrier that is left out, among the barriers of the kernel; null for none. */
  readonly removed: number | null;
}

export type WorkerTask = SimulateTask | RankTask | TraceTask;

async function load(file: string, name: string): Promise<string> {
  const answer = await fetch(new URL(file, import.meta.url));
  if (!answer.ok) throw new Error(`Loading ${name} failed with HTTP status ${answer.status}.`);
  return await answer.text();
}

export interface WorkerOptions<T> {
  /** Name of the worker in error messages. */
  readonly name: string;
  readonly abort: Abort;
  /** Receives each message of the worker, and ends the task. */
  readonly receive: (data: unknown, task: TaskEnds<T>) => void;
}

export interface TaskEnds<T> {
  readonly resolve: (result: T) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Performs a task in a worker, which is terminated when the task ends. Rejects if the worker cannot
 * be started, the task fails or the signal is aborted.
 */
export async function performInWorker<T>(
  task: WorkerTask,
  { name, abort, receive }: WorkerOptions<T>,
): Promise<T> {
  const worker = await startWorker(name);
  try {
    return await new Promise<T>((resolve, reject) => {
      const stop = (): void => {
        reject(new Error('Cancelled.'));
      };
      abort.addEventListener('abort', stop);
      if (abort.aborted) stop();
      worker.addEventListener('error', ({ message }) => {
        reject(new Error(`${name}: ${message}`));
      });
      worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        try {
          receive(data, { resolve, reject });
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      worker.postMessage(task);
    });
  } finally {
    worker.terminate();
  }
}

async function startWorker(name: string): Promise<Worker> {
  const texts = await Promise.all(['core.cjs', 'simulateWorker.js'].map(file => load(file, name)));
  const address = URL.createObjectURL(new Blob(texts, { type: 'text/javascript' }));
  try {
    return new Worker(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}
