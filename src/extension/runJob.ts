/** Runs one kernel on one backend: queued, visible, cancellable; its result is kept and shown. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { toSpec } from '../core/spec/resolve';
import type { Runnable } from '../core/emit/kernel';
import type { Backend, RunProgress } from '../core/measure/backend';
import { NOT_VERIFIED, type Measurement, type Outcome } from '../core/measure/measurement';
import type { ToWebview } from '../protocol';
import type { Explorer } from './explorer';
import type { JobQueue } from './jobQueue';
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
/** How long the page gets to end a cancelled run. */
const CANCEL_MS = 5000;

export interface JobRunner {
  readonly run: (job: Job) => Promise<Measurement>;
  /** Cancels the job with this id, if it runs. */
  readonly cancel: (id: string) => void;
  readonly cancelAll: () => void;
}

export function createJobRunner(parts: JobParts): JobRunner {
  const running = new Map<string, AbortController>();

  const run = (job: Job): Promise<Measurement> => {
    const id = randomUUID();
    const controller = new AbortController();
    running.set(id, controller);
    const { backend, mode, runnable } = job;
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
      const start = async (): Promise<Measurement> => {
        if (controller.signal.aborted) return ended(job, 'cancelled', 'Cancelled while waiting.');
        return backend === 'webgpu'
          ? await runInPage(parts.explorer, id, job, controller.signal, report)
          : await runInHost(parts, id, job, controller.signal, report);
      };
      return await parts.queue.run(start, () => {
        report({ stage: 'Waiting for the run before it' });
      });
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

/** Hands the kernel to the explorer's page, which has a GPU; the page must stay visible. */
async function runInPage(
  explorer: Explorer,
  id: string,
  job: Job,
  abort: AbortSignal,
  report: (progress: RunProgress) => void,
): Promise<Measurement> {
  report({ stage: 'Opening the explorer' });
  const page = await explorer.openPage(job.shown);
  if (page === undefined) {
    return ended(job, 'unavailable', 'The explorer, whose page runs WebGPU, did not open.');
  }
  const { runnable, mode } = job;
  const spec = runnable.spec === undefined ? null : toSpec(runnable.spec);
  const message: ToWebview = {
    type: 'runWebgpu',
    job: { id, mode, seed: SEED, source: runnable.source, spec },
  };
  return await new Promise<Measurement>(resolve => {
    const timers: NodeJS.Timeout[] = [];
    const subscriptions: vscode.Disposable[] = [];
    const finish = (measurement: Measurement): void => {
      for (const timer of timers) clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
      abort.removeEventListener('abort', cancel);
      resolve(measurement);
    };
    /** Asks the page to stop; when it does not answer, the run has ended all the same. */
    const stop = (outcome: Outcome, why: string): void => {
      page.post({ type: 'cancel', id });
      const give = (): void => {
        finish(ended(job, outcome, why));
      };
      timers.push(setTimeout(give, CANCEL_MS));
    };
    const cancel = (): void => {
      stop('cancelled', 'Cancelled.');
    };
    const limit = settings.runTimeoutMs();
    const late = `No result after ${limit / 1000} s (gemm.runTimeoutSeconds).`;
    timers.push(setTimeout(stop, limit, 'timeout', late));
    subscriptions.push(
      page.onMessage(answer => {
        if (answer.type === 'progress' && answer.id === id) {
          const { stage, fraction } = answer;
          report({ stage, ...(fraction === undefined ? {} : { fraction }) });
        }
        if (answer.type === 'measured' && answer.id === id) finish(answer.measurement);
      }),
      page.onHidden(() => {
        const why = 'The explorer was hidden; it must stay visible while its page runs WebGPU.';
        finish(ended(job, 'cancelled', why));
      }),
    );
    abort.addEventListener('abort', cancel);
    page.post(message);
  });
}

/** A run that ended without a result of its backend. */
function ended({ runnable, backend }: Job, outcome: Outcome, message: string): Measurement {
  return {
    specKey: runnable.specKey,
    kernelKey: '',
    resolved: runnable.spec ?? null,
    backend,
    device: { name: 'none', adapter: 'none', driver: 'unknown', where: 'extension host' },
    outcome,
    message,
    verification: NOT_VERIFIED,
  };
}
