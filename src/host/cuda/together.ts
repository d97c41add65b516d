/**
 * Benchmarks several kernels of one problem in interleaved rounds: generated and hand-written
 * kernels, cubins, and functions of Python files, whose processes launch them in their turns.
 */
import { t } from '@vscode/l10n';
import type { RunContext, RunRequest } from '../../core/measure/backend';
import type { MeasuredCeilings, Measurement, Outcome } from '../../core/measure/measurement';
import type { Runnable } from '../../core/kernel/kernel';
import { kernelKey } from '../../core/text/hash';
import { withSignal } from '../abort';
import { findPython } from '../python/findPython';
import { startPython, type PythonKernel } from '../python/session';
import { unsupported } from './hostProgram';
import { measurementBuilder } from './result';
import { compileWithNvcc, compileWithNvrtc, type CompiledKernel } from './runner/compileKernel';
import { deviceOf, knownCeilings } from './runner/conditions';
import { findMachine, type CudaOptions } from './runner/machine';
import { measurementOf } from './runner/measured';
import type { RunnerProgram } from './runner/program';
import type { RunnerResult, Turn, TurnAnswer } from './runner/protocol';
import { raceBody, type RaceEntry } from './runner/race';
import type { RaceAnswer } from './runner/raceProtocol';
import { programOf, sendRequest, type NoResponse, type RunnerContext } from './runner/requests';

export interface TogetherRequest extends Omit<RunRequest, 'runnable'> {
  /** Kernels of the same problem. */
  readonly runnables: readonly Runnable[];
}

/** Time limit of a run in milliseconds, per kernel that the runner launches. */
export const RUN_TIMEOUT_MS = 120_000;
/** Additional time for a function of a Python file, whose turns have their own limits. */
const PYTHON_TIMEOUT_MS = 900_000;

export const isPython = ({ foreign }: Runnable): boolean => foreign?.kind === 'python';

/** Returns one measurement per kernel, in order. Failures are outcomes; never rejects. */
export function runTogether(
  request: TogetherRequest,
  options: CudaOptions,
  { abort, progress }: RunContext,
): Promise<readonly Measurement[]> {
  return withSignal(abort, async signal => {
    const all = (outcome: Outcome, message: string): readonly Measurement[] =>
      request.runnables.map(runnable =>
        measurementBuilder(runnable, options.where)(outcome, message),
      );
    progress({ stage: t('Looking for nvcc and the GPU') });
    const found = await findMachine(options);
    if (!found.ok) return all('unavailable', `${found.why} ${found.next}`);
    const context = { machine: found.machine, options, signal, progress };
    const program = await programOf(context);
    if (!program.ok) return all(program.outcome, program.message);
    const entrants: Entrant[] = [];
    try {
      for (const runnable of request.runnables) {
        entrants.push(await prepare(runnable, request.seed, program.program, context));
      }
      return await race(entrants, request, program.program, context);
    } finally {
      await Promise.all(entrants.map(({ python }) => python?.end() ?? Promise.resolve()));
    }
  });
}

/** A kernel that is compiled or loaded, or the outcome of the failure. */
interface Entrant {
  readonly runnable: Runnable;
  readonly kernelKey?: string;
  readonly compiled?: CompiledKernel;
  readonly python?: PythonKernel;
  readonly failure?: { readonly outcome: Outcome; readonly message: string };
}

async function prepare(
  runnable: Runnable,
  seed: number,
  program: RunnerProgram,
  context: RunnerContext,
): Promise<Entrant> {
  const fail = ({ outcome, message, ...more }: NoResponse & { kernelKey?: string }): Entrant => ({
    runnable,
    failure: { outcome, message },
    ...(more.kernelKey === undefined ? {} : { kernelKey: more.kernelKey }),
  });
  const refusal = unsupported(runnable);
  if (refusal !== undefined) return fail({ ok: false, outcome: 'constraint', message: refusal });
  const { machine, options, signal, progress } = context;
  if (!isPython(runnable)) {
    progress({ stage: 'compile' });
    const made =
      machine.compiler.kind === 'nvcc'
        ? await compileWithNvcc(runnable, context)
        : await compileWithNvrtc(runnable, program, context);
    return made.ok ? { runnable, compiled: made, kernelKey: made.kernelKey } : fail(made);
  }
  progress({ stage: t('Starting Python') });
  const found = await findPython({ ...options.search, setting: options.python ?? '' });
  if (!found.ok) {
    return fail({ ok: false, outcome: 'unavailable', message: `${found.why} ${found.next}` });
  }
  const limits = options.pythonLimits === undefined ? {} : { limits: options.pythonLimits };
  const started = await startPython(found.python, runnable, {
    seed: seed >>> 0,
    gpu: machine.index,
    signal,
    ...limits,
  });
  if (!started.ok) return fail(started);
  const { python, torch, triton } = started.value.about;
  const compiler = [`python ${python}`, `torch ${torch}`, ...(triton === null ? [] : [triton])];
  const key = { source: runnable.source, architecture: machine.arch, flags: [] };
  return {
    runnable,
    python: started.value,
    kernelKey: kernelKey({ ...key, compiler: compiler.join(', ') }),
  };
}

async function race(
  entrants: readonly Entrant[],
  request: TogetherRequest,
  program: RunnerProgram,
  context: RunnerContext,
): Promise<readonly Measurement[]> {
  const { machine, options } = context;
  const { mode, seed, baselines = [] } = request;
  const ready = entrants.filter(({ failure }) => failure === undefined);
  const turns = answerTurns(ready);
  const answered = await answerOf(ready, request, program, { ...context, turn: turns.answer });
  if (answered?.ok === true && answered.answer.fatal === true && ready.length > 1) {
    // The last kernel of the answer destroyed the CUDA context. The others run again without it.
    const culprit = ready[answered.answer.contestants.length - 1];
    const last = answered.answer.contestants.at(-1);
    const failure = {
      outcome: last?.outcome ?? 'launch-error',
      message: last?.message ?? 'The kernel destroyed the CUDA context.',
    };
    const others = entrants.map(each => (each === culprit ? { ...each, failure } : each));
    return await race(others, request, program, context);
  }
  const timed =
    mode === 'time' &&
    answered?.ok === true &&
    answered.answer.contestants.some(({ outcome }) => outcome === 'correct');
  const [first] = ready;
  const ceilings =
    timed && first !== undefined && options.ceilings !== false
      ? await knownCeilings(first.runnable, answered.ready, program, context)
      : {};
  return entrants.map(entrant => {
    const { runnable, failure, compiled } = entrant;
    const report = measurementBuilder(runnable, options.where);
    const more: Partial<Measurement> = {
      device: answered?.ok === true ? deviceOf(answered.ready, machine) : machine.device,
      ...(entrant.kernelKey === undefined ? {} : { kernelKey: entrant.kernelKey }),
      ...(compiled?.resources === undefined ? {} : { resources: compiled.resources }),
    };
    const failed = failure ?? turns.failureOf(entrant);
    if (failed !== undefined) return report(failed.outcome, failed.message, more);
    if (answered === undefined) return report('cancelled', 'The run was cancelled.', more);
    if (!answered.ok) return report(answered.outcome, answered.message, more);
    const result = resultOf(answered.answer, ready.indexOf(entrant), {
      cache: options.cache ?? 'cold',
      graph: turns.graphOf(entrant),
    });
    if (result === undefined) {
      return report('launch-error', 'The runner lost its GPU to an earlier kernel.', more);
    }
    if ('unavailable' in result) return report('unavailable', result.unavailable, more);
    const notes = [
      ...turns.notesOf(entrant),
      ...(answered.note === undefined ? [] : [answered.note]),
      ...(ceilings.notes ?? []),
    ];
    const known = { ready: answered.ready, report, more, notes, ...pick(ceilings) };
    return measurementOf({ runnable, mode, seed, baselines }, result, known);
  });
}

const pick = ({ ceilings }: { readonly ceilings?: MeasuredCeilings }) =>
  ceilings === undefined ? {} : { ceilings };

/** Returns undefined if no kernel can run. */
async function answerOf(
  ready: readonly Entrant[],
  { mode, seed, baselines = [], effort }: TogetherRequest,
  program: RunnerProgram,
  context: RunnerContext,
) {
  if (ready.length === 0 || context.signal.aborted) return undefined;
  const entries = ready.map(({ runnable, compiled }): RaceEntry =>
    compiled === undefined ? { runnable } : { runnable, compiled },
  );
  const body = raceBody(entries, {
    seed,
    cache: context.options.cache ?? 'cold',
    baselines: mode === 'time' ? baselines : [],
    ...(mode === 'time' ? { recheck: true } : { verifyOnly: true }),
    ...(effort === undefined ? {} : { effort }),
    // Every library is timed in full, because the fastest one differs between problems.
    libraryBehind: Infinity,
  });
  const limitMs = context.options.runTimeoutMs ?? RUN_TIMEOUT_MS;
  const pythons = ready.filter(({ python }) => python !== undefined).length;
  const deadlineMs = limitMs * ready.length + PYTHON_TIMEOUT_MS * pythons;
  return await sendRequest('race', body, program, context, deadlineMs);
}

/** Forwards the turns of the runner to the Python processes, and collects what they report. */
function answerTurns(ready: readonly Entrant[]) {
  const failures = new Map<Entrant, NonNullable<Entrant['failure']>>();
  const notes = new Map<Entrant, string>();
  const graphs = new Set<Entrant>();
  return {
    failureOf: (entrant: Entrant) => failures.get(entrant),
    notesOf: (entrant: Entrant) => [notes.get(entrant) ?? []].flat(),
    graphOf: (entrant: Entrant) => graphs.has(entrant),
    answer: async ({ contestant, doing, ...turn }: Turn): Promise<TurnAnswer> => {
      const entrant = ready[contestant];
      const python = entrant?.python;
      if (entrant === undefined || python === undefined) {
        return { failed: 'This kernel has no process of its own.' };
      }
      if (doing === 'result') {
        const result = await python.result(turn.sets ?? 1);
        if (result.ok) return { file: result.value };
        failures.set(entrant, result);
        return { failed: result.message };
      }
      const timed = await python.batch(turn.launches ?? 1, turn.warm ?? false);
      if (!timed.ok) {
        failures.set(entrant, timed);
        return { failed: timed.message };
      }
      const { ms, graph, note } = timed.value;
      if (graph) graphs.add(entrant);
      if (note !== null) notes.set(entrant, note);
      return { ms };
    },
  };
}

/**
 * Returns the result of one kernel in the form of a single run. Returns undefined if the runner
 * ended before it reached the kernel.
 */
function resultOf(
  { contestants, timing, baselines, notes, fatal }: RaceAnswer,
  index: number,
  { cache, graph }: { readonly cache: 'cold' | 'warm'; readonly graph: boolean },
): RunnerResult | { readonly unavailable: string } | undefined {
  const found = contestants[index];
  if (found === undefined) return undefined;
  const { outcome, message, resources, verification, warmUp, batch, batchMs } = found;
  if (outcome === 'unavailable') return { unavailable: message };
  const isTimed = timing !== undefined && batch !== undefined && batchMs !== undefined;
  return {
    type: 'result',
    outcome,
    message,
    ...(fatal === undefined ? {} : { fatal }),
    ...(resources === undefined ? {} : { resources }),
    ...(verification === undefined ? {} : { verification }),
    ...(isTimed
      ? {
          timing: {
            ...timing,
            warmUp: warmUp ?? 0,
            batch,
            batchMs,
            cache,
            ...(graph ? { graph } : {}),
          },
          baselines,
        }
      : {}),
    notes,
  };
}
