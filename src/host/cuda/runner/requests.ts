/** Sends requests to the runner of a GPU. Builds the runner if necessary. */
import { t } from '@vscode/l10n';
import type { RunProgress } from '../../../core/measure/backend';
import type { Outcome } from '../../../core/measure/measurement';
import type { CudaMachine, CudaOptions } from './machine';
import { buildRunner, forgetRunner, type RunnerProgram } from './program';
import type { Answer, Body, Ready } from './protocol';
import { requestRunner, greetRunner, type RunnerResult, type RunnerOptions } from './runners';
import type { RequestOptions } from './session';
import { runnerFor } from './source';

export interface RunnerContext {
  readonly machine: CudaMachine;
  readonly options: CudaOptions;
  readonly signal: AbortSignal;
  readonly progress: (step: RunProgress) => void;
  /** Answers the turns of foreign kernels. */
  readonly turn?: RequestOptions['turn'];
}

export interface NoResponse {
  readonly ok: false;
  readonly outcome: Outcome;
  readonly message: string;
}

export type RunnerResponse<T extends Answer['type']> =
  | {
      readonly ok: true;
      readonly ready: Ready;
      readonly answer: Extract<Answer, { type: T }>;
      readonly note?: string;
    }
  | NoResponse;

/**
 * Returns the runner executable, or the failure to build it. Builds the executable if it does not
 * exist.
 */
export async function programOf(
  context: RunnerContext,
): Promise<{ readonly ok: true; readonly program: RunnerProgram } | NoResponse> {
  const { machine, signal, progress } = context;
  const { nvcc, arch, cacheFolder, program } = machine;
  if (nvcc === undefined) {
    if (program !== undefined) return { ok: true, program };
    return {
      ok: false,
      outcome: 'unavailable',
      message: 'Building the CUDA runner requires nvcc. Fix: install the CUDA toolkit.',
    };
  }
  if (program === undefined) progress({ stage: t('Compiling the CUDA runner (once)') });
  return await buildRunner(nvcc, { ...runnerFor(arch), cacheFolder, signal });
}

const runnerOptions = (
  program: RunnerProgram,
  { machine, options }: RunnerContext,
): RunnerOptions => ({
  program: program.path,
  gpu: machine.index,
  libraries: program.libraries,
  owner: `GEMM Explorer (${options.where}, process ${process.pid})`,
  ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
});

/** Starts the runner if necessary, and returns its first message, which describes its GPU. */
export async function greet(
  program: RunnerProgram,
  context: RunnerContext,
): Promise<{ readonly ok: true; readonly ready: Ready } | NoResponse> {
  const { signal, progress } = context;
  // The start of the runner has its own time limit.
  const requestOptions = { signal, progress, deadlineMs: Infinity };
  const started = await greetRunner(runnerOptions(program, context), requestOptions);
  if (started.ok) return { ok: true, ready: started.session.ready };
  if (started.broken) await forgetRunner(program);
  const outcome = started.why === 'cancelled' ? 'cancelled' : 'unavailable';
  return { ok: false, outcome, message: started.message };
}

/** Sends a request and returns the response. A response whose type is not `wanted` is a failure. */
export async function sendRequest<T extends Answer['type']>(
  wanted: T,
  body: Body,
  program: RunnerProgram,
  context: RunnerContext,
  deadlineMs: number,
): Promise<RunnerResponse<T>> {
  const { signal, progress, turn } = context;
  const response = await requestRunner(runnerOptions(program, context), body, {
    signal,
    deadlineMs,
    progress,
    ...(turn === undefined ? {} : { turn }),
  });
  const no = noResponse(response, body.type, deadlineMs);
  if (no !== undefined) {
    if ('broken' in response && response.broken) await forgetRunner(program);
    return no;
  }
  if (!('answer' in response) || response.answer.type !== wanted) {
    const message = 'The CUDA runner returned a response of an unexpected type.';
    return { ok: false, outcome: 'launch-error', message };
  }
  const answer = response.answer as Extract<Answer, { type: T }>;
  const note = response.note === undefined ? {} : { note: response.note };
  return { ok: true, ready: response.ready, answer, ...note };
}

const stepName = (type: Body['type']): string =>
  ({
    run: 'The kernel',
    race: 'The benchmark',
    compile: 'NVRTC',
    ceilings: 'The measurement of the ceilings',
  })[type];

function noResponse(
  response: RunnerResult,
  type: Body['type'],
  deadlineMs: number,
): NoResponse | undefined {
  if (!('answer' in response)) {
    const outcome = response.why === 'cancelled' ? 'cancelled' : 'unavailable';
    const next = response.broken ? ' The CUDA runner will be rebuilt for the next run.' : '';
    return { ok: false, outcome, message: response.message + next };
  }
  const { answer } = response;
  if (answer.type === 'failed') {
    return { ok: false, outcome: answer.outcome, message: answer.message };
  }
  if (answer.type !== 'lost') return undefined;
  const { why, message } = answer;
  if (why === 'cancelled') return { ok: false, outcome: 'cancelled', message };
  if (why !== 'timeout') return { ok: false, outcome: 'launch-error', message };
  const seconds = Math.round(deadlineMs / 100) / 10;
  return {
    ok: false,
    outcome: 'timeout',
    message: `${stepName(type)} exceeded ${seconds} s and was stopped.`,
  };
}
