/**
 * Workers of the page. A webview can start workers only from a blob, so the scripts are fetched
 * first (docs/decisions.md).
 */
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

export type WorkerTask = SimulateTask | RankTask;

async function load(file: string, name: string): Promise<string> {
  const answer = await fetch(new URL(file, import.meta.url));
  if (!answer.ok) throw new Error(`Loading ${name} failed with HTTP status ${answer.status}.`);
  return await answer.text();
}

/**
 * Starts the worker, which the caller must terminate. `name` identifies the worker in the error
 * message.
 */
export async function startWorker(name: string): Promise<Worker> {
  const texts = await Promise.all(['core.cjs', 'simulateWorker.js'].map(file => load(file, name)));
  const address = URL.createObjectURL(new Blob(texts, { type: 'text/javascript' }));
  try {
    return new Worker(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}
