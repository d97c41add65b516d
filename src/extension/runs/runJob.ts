/**
 * Execution of one kernel on one backend, with queue, progress and cancellation. The page shows the
 * result, and the caller stores it.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Runnable } from '../../core/kernel/kernel';
import type { Backend, BaselineId, RunProgress } from '../../core/measure/backend';
import type { BackendId, Measurement, Series } from '../../core/measure/measurement';
import { shortName } from '../../core/plan/shortName';
import { showProgress } from '../display/notify';
import type { Explorer, RunSubject } from '../explorer/explorer';
import type { JobQueue } from './jobQueue';
import type { HostBackendId } from '../toolchain/hostBackend';
import { unmeasured, runInPage } from '../toolchain/pageRun';
import { settings } from '../shared/settings';

export interface Job extends RunSubject {
  readonly runnable: Runnable;
  readonly backend: BackendId;
  readonly mode: 'verify' | 'time';
  /** Series that the run is stored with. */
  readonly series?: Series;
}

export interface JobParts {
  readonly explorer: Explorer;
  readonly queueOf: (device: string) => JobQueue;
  readonly inBrowser: () => boolean;
  readonly hostBackend: (id: HostBackendId) => Backend;
}

const BASELINES: readonly BaselineId[] = ['cublas'];
/** Fixed seed, so that every backend has the same inputs. */
const SEED = 1;

/**
 * Receiver of the progress of a run, for example a terminal. By default, a notification shows the
 * progress.
 */
export interface JobWatcher {
  readonly signal: AbortSignal;
  readonly report: (progress: RunProgress) => void;
}

export interface RunningJob {
  readonly job: Job;
  readonly progress: RunProgress;
}

export interface JobRunner {
  readonly run: (job: Job, watcher?: JobWatcher) => Promise<Measurement>;
  /**
   * Fires with a job when it reports progress, and with undefined when the last running job ends.
   */
  readonly onDidProgress: vscode.Event<RunningJob | undefined>;
  readonly onDidEnd: vscode.Event<Measurement>;
  readonly cancel: (id: string) => void;
  readonly cancelAll: () => void;
  readonly dispose: () => void;
}

export function createJobRunner(parts: JobParts): JobRunner {
  const running = new Map<string, AbortController>();
  const progressed = new vscode.EventEmitter<RunningJob | undefined>();
  const ended = new vscode.EventEmitter<Measurement>();

  const run = async (job: Job, watcher?: JobWatcher): Promise<Measurement> => {
    const id = crypto.randomUUID();
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
    };
    running.set(id, controller);
    const perform = (show: JobWatcher['report']): Promise<Measurement> =>
      runOne(parts, id, job, controller.signal, progress => {
        show(progress);
        progressed.fire({ job, progress });
      });
    try {
      if (watcher?.signal.aborted === true) abort();
      watcher?.signal.addEventListener('abort', abort);
      const measurement =
        watcher === undefined
          ? await withNotification(job, abort, perform)
          : await perform(watcher.report);
      ended.fire(measurement);
      return measurement;
    } finally {
      watcher?.signal.removeEventListener('abort', abort);
      running.delete(id);
      if (running.size === 0) progressed.fire(undefined);
    }
  };

  const cancelAll = (): void => {
    for (const controller of running.values()) controller.abort();
  };
  return {
    run,
    cancelAll,
    onDidProgress: progressed.event,
    onDidEnd: ended.event,
    cancel: id => {
      running.get(id)?.abort();
    },
    dispose: () => {
      cancelAll();
      progressed.dispose();
      ended.dispose();
    },
  };
}

export const progressText = ({ stage, fraction }: RunProgress): string =>
  fraction === undefined ? stage : `${stage} ${Math.round(fraction * 100)} %`;

function withNotification(
  { backend, mode, runnable }: Job,
  abort: () => void,
  perform: (show: JobWatcher['report']) => Promise<Measurement>,
): Thenable<Measurement> {
  const name = runnable.spec === undefined ? runnable.specKey : shortName(runnable.spec);
  const title =
    mode === 'time'
      ? t('Benchmark on {0}: {1}', backend, name)
      : t('Verify on {0}: {1}', backend, name);
  const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
  return showProgress(options, (progress, token) => {
    token.onCancellationRequested(abort);
    return perform(step => {
      progress.report({ message: progressText(step) });
    });
  });
}

/**
 * Returns the name of the queue for a backend. The WebGPU adapter of a local window may be the
 * first GPU. The adapter of a remote window is on a different computer.
 */
function deviceOf(backend: BackendId): string {
  if (backend === 'cuda') return `GPU ${settings.cudaDevice()}`;
  if (backend !== 'webgpu') return 'processor';
  return vscode.env.remoteName === undefined ? 'GPU 0' : 'adapter';
}

async function runOne(
  parts: JobParts,
  id: string,
  job: Job,
  signal: AbortSignal,
  report: JobWatcher['report'],
): Promise<Measurement> {
  const { backend, runnable } = job;
  /** Notifies a waiting page that the run ended without a result. */
  const giveUp = (message: string): void => {
    parts.explorer.post({ type: 'failed', id, message });
  };
  const start = async (): Promise<Measurement> => {
    try {
      if (signal.aborted) {
        return unmeasured(runnable, backend, 'cancelled', 'Cancelled while waiting.');
      }
      return backend === 'webgpu'
        ? await runOnWebgpu(parts, id, job, signal, report)
        : await runInHost(parts, id, job, signal, report);
    } catch (error) {
      giveUp(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
  const measurement = await parts.queueOf(deviceOf(backend)).run(start, () => {
    const waiting = { stage: t('Waiting for the previous run') };
    report(waiting);
    parts.explorer.post({ type: 'progress', id, ...waiting });
  });
  // An empty kernelKey marks a run without a result, so notify a page that may still wait.
  if (measurement.kernelKey === '') giveUp(measurement.message ?? measurement.outcome);
  return measurement;
}

/**
 * Runs the kernel in the page that has an adapter. The page in the window also shows the progress
 * of the browser page.
 */
async function runOnWebgpu(
  { explorer, inBrowser }: JobParts,
  id: string,
  { runnable, mode, ...subject }: Job,
  abort: AbortSignal,
  report: (progress: RunProgress) => void,
): Promise<Measurement> {
  const follow = inBrowser();
  const measurement = await runInPage({
    id,
    runnable,
    mode,
    seed: SEED,
    abort,
    limitMs: settings.runTimeoutMs(),
    openPage: () => explorer.openPage(subject),
    report: step => {
      report(step);
      if (follow) explorer.postToPanel({ type: 'progress', id, ...step });
    },
  });
  if (follow && measurement.kernelKey !== '')
    explorer.postToPanel({ type: 'measured', id, measurement });
  return measurement;
}

async function runInHost(
  { explorer, hostBackend }: JobParts,
  id: string,
  { runnable, backend, mode }: Job,
  abort: AbortSignal,
  report: (progress: RunProgress) => void,
): Promise<Measurement> {
  if (backend === 'webgpu') throw new Error('Expected a host backend, got webgpu.');
  const progress = (step: RunProgress): void => {
    report(step);
    explorer.post({ type: 'progress', id, ...step });
  };
  progress({ stage: 'Starting' });
  const baselines = backend === 'cuda' && mode === 'time' ? BASELINES : [];
  const request = { runnable, mode, seed: SEED, baselines };
  const measurement = await hostBackend(backend).run(request, { abort, progress });
  explorer.post({ type: 'measured', id, measurement });
  return measurement;
}
