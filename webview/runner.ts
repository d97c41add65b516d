/** Kernel runs in this page: WebGPU jobs of the extension, and Simulate. */
import { hashText } from '../src/core/text/hash';
import { readKernelFile } from '../src/core/source/kernelFile';
import type { RunRequest } from '../src/core/measure/backend';
import { NOT_VERIFIED, type Measurement, type Outcome } from '../src/core/measure/measurement';
import { resolve } from '../src/core/defaults/resolve';
import type { FromWebview, WebgpuJob } from '../src/protocol';
import type { Environment } from '../src/webgpu/environment';
import { probeWebgpu } from '../src/webgpu/probe';
import { isKernel, type Derived } from './derive';
import { messageOf } from './format';
import type { Run } from './simulator';
import type { Message, State } from './state';
import { specKey } from '../src/core/plan/specKey';

export interface Runner {
  readonly probe: () => void;
  readonly perform: (message: Message, before: State, derived: () => Derived | null) => void;
}

/** Seed of the input matrices for Simulate. */
const SEED = 1;

export function createRunner(
  dispatch: (message: Message) => void,
  post: (message: FromWebview) => void,
  env: Environment,
  backends: Readonly<Record<'webgpu' | 'simulate', Run>>,
): Runner {
  /** Number of Simulate runs, which makes their ids unique. */
  let simulated = 0;
  let current: { readonly id: string; readonly abort: AbortController } | null = null;

  const start = async (
    id: string,
    request: RunRequest,
    run: Run,
    report: Report,
  ): Promise<void> => {
    const abort = new AbortController();
    current = { id, abort };
    try {
      report.measured(
        await run(request, {
          abort: abort.signal,
          progress: ({ stage, fraction }) => {
            report.progress(stage, fraction);
          },
        }),
      );
    } finally {
      current = null;
    }
  };

  const startJob = (job: WebgpuJob, cancelled: boolean): void => {
    const { id, mode, seed } = job;
    // The message is a duplicate: the job is running.
    if (current?.id === id) return;
    const report = {
      progress: (stage: string, fraction?: number) => {
        const progress = { id, stage, ...(fraction === undefined ? {} : { fraction }) };
        dispatch({ type: 'stage', ...progress });
        post({ type: 'progress', ...progress });
      },
      measured: (measurement: Measurement) => {
        dispatch({ type: 'received', message: { type: 'measured', id, measurement } });
        post({ type: 'measured', id, measurement });
      },
    };
    const fail = (outcome: Outcome, message: string): void => {
      report.measured(notRun(job, outcome, message));
    };
    if (cancelled) {
      fail('cancelled', 'Cancelled while waiting.');
      return;
    }
    if (current !== null) {
      fail('constraint', 'This page is already running a kernel. Fix: cancel that run first.');
      return;
    }
    // Run the kernel source unchanged, even if it was edited; its annotation defines the launch.
    const file = readKernelFile(job.source, 'kernel.wgsl', job.entry);
    if (!file.ok) {
      fail('constraint', file.reason);
      return;
    }
    const request = { runnable: file.runnable, mode, seed };
    start(id, request, backends.webgpu, report).catch((error: unknown) => {
      fail('launch-error', messageOf(error));
    });
  };

  const startSimulate = (derived: Derived | null): void => {
    const kernel =
      derived === null
        ? undefined
        : [derived.kernels[derived.target], ...Object.values(derived.kernels)].find(isKernel);
    if (kernel === undefined) return;
    simulated += 1;
    const id = `simulate-${simulated}`;
    const report = {
      progress: (stage: string, fraction?: number) => {
        dispatch({ type: 'stage', id, stage, ...(fraction === undefined ? {} : { fraction }) });
      },
      measured: (measurement: Measurement) => {
        dispatch({ type: 'measuredHere', id, measurement });
      },
    };
    const request = { runnable: kernel, mode: 'verify', seed: SEED } as const;
    start(id, request, backends.simulate, report).catch((error: unknown) => {
      dispatch({ type: 'received', message: { type: 'failed', id, message: messageOf(error) } });
    });
  };

  return {
    probe: () => {
      probeWebgpu(env).then(
        webgpu => {
          dispatch({ type: 'adapter', webgpu });
        },
        (error: unknown) => {
          const webgpu = {
            available: false,
            why: messageOf(error),
            next: env.advice.noAdapter,
          } as const;
          dispatch({ type: 'adapter', webgpu });
        },
      );
    },
    perform: (message, before, derived) => {
      if (message.type === 'adapter') {
        const { webgpu } = message;
        post({
          type: 'adapter',
          adapter: webgpu.available ? webgpu.device.name : null,
          ...(webgpu.available && webgpu.limits !== undefined ? { limits: webgpu.limits } : {}),
        });
      }
      if (message.type === 'run') {
        if (message.backend === 'simulate') startSimulate(derived());
        else post({ type: 'run', backend: message.backend, mode: message.mode });
      }
      // The run was cancelled before it had an id.
      const unnamed = before.running?.cancelling === true && before.running.id === null;
      if (message.type === 'received' && message.message.type === 'runWebgpu') {
        startJob(message.message.job, unnamed);
      }
      if (message.type === 'received' && message.message.type === 'progress' && unnamed) {
        post({ type: 'cancelRun', id: message.message.id });
      }
      const isRemoteCancel = message.type === 'received' && message.message.type === 'cancel';
      if (message.type !== 'cancel' && !isRemoteCancel) return;
      const id = before.running?.id ?? null;
      if (current !== null && current.id === id) current.abort.abort();
      else if (id !== null && !isRemoteCancel) post({ type: 'cancelRun', id });
    },
  };
}

interface Report {
  readonly progress: (stage: string, fraction?: number) => void;
  readonly measured: (measurement: Measurement) => void;
}

/**
 * Returns a measurement for a job that cannot start, because the extension waits for one
 * measurement per job.
 */
const notRun = (job: WebgpuJob, outcome: Outcome, message: string): Measurement => ({
  specKey: job.spec === null ? 'kernel' : specKey(resolve(job.spec)),
  kernelKey: '',
  sourceHash: hashText(job.source),
  resolved: job.spec === null ? null : resolve(job.spec),
  backend: 'webgpu',
  device: { name: 'none', adapter: 'none', driver: 'unknown', where: 'webview' },
  outcome,
  message,
  verification: NOT_VERIFIED,
});
