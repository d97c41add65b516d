/** Runs one kernel on one backend: queued, visible, cancellable; its result is kept and shown. */
import * as vscode from 'vscode';
import type { Runnable } from '../core/emit/kernel';
import type { Backend, RunProgress } from '../core/measure/backend';
import type { Measurement } from '../core/measure/measurement';
import type { Explorer } from './explorer';
import type { JobQueue } from './jobQueue';
import { notRun, runInPage } from './pageRun';
import { settings } from './settings';
import type { Shown } from './shown';

export interface Job {
  readonly runnable: Runnable;
  readonly backend: 'simulate' | 'cuda' | 'webgpu';
  readonly mode: 'verify' | 'time';
  /** What the explorer shows when the run has to open it. */
  readonly shown: Shown | undefined;
}

export interface JobParts {
  readonly explorer: Explorer;
  readonly queue: JobQueue;
  readonly hostBackend: (id: 'simulate' | 'cuda') => Backend;
}

/** Same inputs on every backend and every day. */
const SEED = 1;

export interface JobRunner {
  readonly run: (job: Job) => Promise<Measurement>;
  /** Cancels the job with this id, if it runs. */
  readonly cancel: (id: string) => void;
  readonly cancelAll: () => void;
}

export function createJobRunner(parts: JobParts): JobRunner {
  const running = new Map<string, AbortController>();

  const run = (job: Job): Promise<Measurement> => {
    const id = crypto.randomUUID();
    const controller = new AbortController();
    running.set(id, controller);
    const { backend, mode, runnable } = job;
    const { signal } = controller;
    const title = `${mode === 'time' ? 'Benchmark' : 'Verify'} ${runnable.specKey} on ${backend}`;
    const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
    const task = async (
      progress: vscode.Progress<{ message?: string }>,
      token: vscode.CancellationToken,
    ): Promise<Measurement> => {
      token.onCancellationRequested(() => {
        controller.abort();
      });
      const report = ({ stage, fraction }: RunProgress): void => {
        const part = fraction === undefined ? '' : ` ${Math.round(fraction * 100)} %`;
        progress.report({ message: `${stage}${part}` });
      };
      /** A page that waits for a run which will not come is told. */
      const giveUp = (message: string): void => {
        parts.explorer.post({ type: 'failed', id, message });
      };
      const start = async (): Promise<Measurement> => {
        try {
          if (signal.aborted) {
            return notRun(runnable, backend, 'cancelled', 'Cancelled while waiting.');
          }
          return backend === 'webgpu'
            ? await runInPage({
                ...{ id, runnable, mode, seed: SEED, abort: signal, report },
                limitMs: settings.runTimeoutMs(),
                openPage: () => parts.explorer.openPage(job.shown),
              })
            : await runInHost(parts, id, job, signal, report);
        } catch (error) {
          giveUp(error instanceof Error ? error.message : String(error));
          throw error;
        }
      };
      const measurement = await parts.queue.run(start, () => {
        const waiting = { stage: 'Waiting for the run before it' };
        report(waiting);
        parts.explorer.post({ type: 'progress', id, ...waiting });
      });
      // Ended by the host: no backend has told the page.
      if (measurement.kernelKey === '') giveUp(measurement.message ?? measurement.outcome);
      return measurement;
    };
    return Promise.resolve(vscode.window.withProgress(options, task)).finally(() => {
      running.delete(id);
    });
  };

  return {
    run,
    cancel: id => {
      running.get(id)?.abort();
    },
    cancelAll: () => {
      for (const controller of running.values()) controller.abort();
    },
  };
}

async function runInHost(
  { explorer, hostBackend }: JobParts,
  id: string,
  { runnable, backend, mode }: Job,
  abort: AbortSignal,
  report: (progress: RunProgress) => void,
): Promise<Measurement> {
  if (backend === 'webgpu') throw new Error('webgpu runs in the page');
  const progress = (step: RunProgress): void => {
    report(step);
    explorer.post({ type: 'progress', id, ...step });
  };
  progress({ stage: 'Starting' });
  const request = { runnable, mode, seed: SEED };
  const measurement = await hostBackend(backend).run(request, { abort, progress });
  explorer.post({ type: 'measured', id, measurement });
  return measurement;
}
