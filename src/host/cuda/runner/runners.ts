/**
 * Manages the runners of this process, one per executable and GPU. A runner is started for its
 * first request, handles one request at a time, and ends when it is idle.
 */
import { t } from '@vscode/l10n';
import type { Answer, Body, Ready } from './protocol';
import { lockGpu } from './gpuLock';
import {
  startRunner,
  type RequestOptions,
  type NoResponse,
  type Session,
  type Started,
} from './session';

export interface RunnerOptions {
  /** Absolute path. */
  readonly program: string;
  /** GPU index, as listed by nvidia-smi. */
  readonly gpu: number;
  /** Folder that is searched first for cuBLAS and NVRTC. */
  readonly libraries: string;
  /** Name of this process, shown to other processes that wait for the GPU. */
  readonly owner: string;
  readonly idleMs?: number;
  readonly startMs?: number;
}

export type RunnerResult =
  | { readonly ready: Ready; readonly answer: Answer | NoResponse; readonly note?: string }
  /** No runner is available. */
  | Extract<Started, { ok: false }>;

interface Runner {
  readonly start: (requestOptions: RequestOptions) => Promise<Started>;
  readonly ask: (body: Body, options: RequestOptions) => Promise<RunnerResult>;
  readonly end: () => Promise<void>;
}

/** Idle time in milliseconds after which a runner ends, because it occupies GPU memory. */
const IDLE_MS = 120_000;
const START_MS = 60_000;

const CANCELLED: RunnerResult = {
  ok: false,
  why: 'cancelled',
  message: 'The run was cancelled.',
  broken: false,
};

const runners = new Map<string, Runner>();

/**
 * Sends a request to the runner of a GPU, after earlier requests. A failure of the runner is
 * returned, not thrown.
 */
export function requestRunner(
  options: RunnerOptions,
  body: Body,
  requestOptions: RequestOptions,
): Promise<RunnerResult> {
  return runnerOf(options).ask(body, requestOptions);
}

/** Starts the runner of a GPU if it is not running. Sends no request to it. */
export function greetRunner(
  options: RunnerOptions,
  requestOptions: RequestOptions,
): Promise<Started> {
  return runnerOf(options).start(requestOptions);
}

function runnerOf(options: RunnerOptions): Runner {
  const key = JSON.stringify([options.program, options.gpu, options.libraries]);
  const runner = runners.get(key) ?? createRunner(options);
  runners.set(key, runner);
  return runner;
}

export async function endRunners(): Promise<void> {
  const all = [...runners.values()];
  runners.clear();
  await Promise.all(all.map(runner => runner.end()));
}

function createRunner(options: RunnerOptions): Runner {
  const { program, gpu, libraries, owner, idleMs = IDLE_MS, startMs = START_MS } = options;
  let session: Session | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = session;
    session = undefined;
    if (ending === undefined) return;
    ending.stop();
    await ending.ended();
  };
  const start = async (requestOptions: RequestOptions): Promise<Started> => {
    clearTimeout(idle);
    if (session !== undefined && !session.isOver()) return { ok: true, session };
    await end();
    requestOptions.progress({ stage: t('Starting the CUDA runner') });
    const args = ['--device', String(gpu), '--libraries', libraries, '--watch-parent'];
    const started = await startRunner(program, args, { ...requestOptions, deadlineMs: startMs });
    if (started.ok) ({ session } = started);
    return started;
  };
  const perform = async (body: Body, requestOptions: RequestOptions): Promise<RunnerResult> => {
    if (requestOptions.signal.aborted) return CANCELLED;
    const wasThere = session?.isOver() === false;
    const kernel = { hasBegun: false };
    const started = await start(requestOptions);
    if (!started.ok) return started;
    const { session: current } = started;
    current.hold(true);
    const lock = await lockGpu(current.ready.device.uuid, {
      owner,
      signal: requestOptions.signal,
      waiting: other => {
        requestOptions.progress({ stage: t('Waiting for the GPU, used by {0}', other) });
      },
    });
    try {
      if (lock === undefined) return CANCELLED;
      if ('failed' in lock) {
        return { ok: false, why: 'unavailable', message: lock.failed, broken: false };
      }
      const answer = await current.ask(body, {
        ...requestOptions,
        progress: step => {
          kernel.hasBegun = true;
          requestOptions.progress(step);
        },
      });
      // A reused process that crashes before it reports progress had probably ended before this
      // request, so the request is repeated.
      const lost = answer.type === 'lost' && answer.why === 'crashed';
      if (!lost || !wasThere || kernel.hasBegun) {
        const note = lock.note === undefined ? {} : { note: lock.note };
        return { ready: current.ready, answer, ...note };
      }
    } finally {
      // Unfinished work on the GPU would affect the next measurement.
      if (current.isOver()) await end();
      if (lock !== undefined && 'release' in lock) lock.release();
      current.hold(false);
      idle = setTimeout(() => void end(), idleMs).unref();
    }
    return await perform(body, requestOptions);
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const answer = last.then(work);
    last = answer.catch(() => undefined);
    return answer;
  };
  return {
    ask: (body, requestOptions) => inTurn(() => perform(body, requestOptions)),
    start: requestOptions =>
      inTurn(async () => {
        const started = await start(requestOptions);
        idle = setTimeout(() => void end(), idleMs).unref();
        return started;
      }),
    end,
  };
}
