/**
 * A worker of the page, for what takes longer than a frame. A webview starts workers from a blob only, so the text is fetched
 * from beside this script; the page's policy allows just that (docs/decisions.md).
 */
import type { GemmSpec, Target } from '../src/core/spec/schema';

export interface SimulateTask {
  readonly type: 'simulate';
  readonly spec: GemmSpec;
  readonly target: Target;
  readonly seed: number;
}

/** Ends with the schedules that the time model expects to be fastest. */
export interface RankTask {
  readonly type: 'rank';
  readonly spec: GemmSpec;
  readonly most: number;
}

export type WorkerTask = SimulateTask | RankTask;

/** `of` is what cannot be had without it. Whoever starts it ends it. */
export async function startWorker(of: string): Promise<Worker> {
  const answer = await fetch(new URL('simulateWorker.js', import.meta.url));
  if (!answer.ok) throw new Error(`The text of ${of} could not be read: ${answer.status}.`);
  const address = URL.createObjectURL(new Blob([await answer.text()], { type: 'text/javascript' }));
  try {
    return new Worker(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}
