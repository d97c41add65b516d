/**
 * The cuda backend: compiles a kernel to a cubin, which the runner of the GPU loads, verifies and
 * times.
 */
import { t } from '@vscode/l10n';
import type { Backend, RunContext, RunRequest } from '../../core/measure/backend';
import type { Measurement } from '../../core/measure/measurement';
import { withSignal } from '../abort';
import { unsupported } from './hostProgram';
import { measurementBuilder, type Report } from './result';
import { sendRequest, programOf, type RunnerContext, type NoResponse } from './runner/requests';
import { knownCeilings, deviceOf } from './runner/conditions';
import { compileWithNvcc, compileWithNvrtc, type CompiledKernel } from './runner/compileKernel';
import { findMachine, type CudaOptions } from './runner/machine';
import { measurementOf } from './runner/measured';
import type { RunnerProgram } from './runner/program';
import { runBody } from './runner/runBody';
import { isPython, RUN_TIMEOUT_MS, runTogether } from './together';

export type { CudaOptions };

export function cudaBackend(options: CudaOptions): Backend {
  return {
    id: 'cuda',
    probe: async () => {
      const found = await findMachine(options);
      return found.ok
        ? { available: true, device: found.machine.device }
        : { available: false, why: found.why, next: found.next };
    },
    run: (request, context) =>
      isPython(request.runnable)
        ? runPython(request, options, context)
        : withSignal(context.abort, signal => run(request, context, signal, options)),
  };
}

/** Runs the function of a Python file as the only kernel of a benchmark. */
async function runPython(
  { runnable, ...request }: RunRequest,
  options: CudaOptions,
  context: RunContext,
): Promise<Measurement> {
  const [measurement] = await runTogether({ runnables: [runnable], ...request }, options, context);
  if (measurement === undefined) throw new Error('each kernel has a measurement');
  return measurement;
}

async function run(
  request: RunRequest,
  { progress }: RunContext,
  signal: AbortSignal,
  options: CudaOptions,
): Promise<Measurement> {
  const { runnable } = request;
  const report = measurementBuilder(runnable, options.where);
  const refusal = unsupported(runnable);
  if (refusal !== undefined) return report('constraint', refusal);
  progress({ stage: t('Looking for nvcc and the GPU') });
  const found = await findMachine(options);
  if (!found.ok) return report('unavailable', `${found.why} ${found.next}`);
  const { device } = found.machine;
  return await runOn(request, { machine: found.machine, options, signal, progress }, report, {
    device,
  });
}

async function runOn(
  request: RunRequest,
  context: RunnerContext,
  report: Report,
  known: Pick<Measurement, 'device'>,
): Promise<Measurement> {
  const { progress } = context;
  const no = ({ outcome, message, ...more }: NoResponse & { readonly kernelKey?: string }) =>
    report(outcome, message, {
      ...known,
      ...(more.kernelKey === undefined ? {} : { kernelKey: more.kernelKey }),
    });
  progress({ stage: 'compile' });
  const made = await compileBoth(request, context);
  if (!made.ok) return no(made);
  return await runCompiled(request, made, context, report);
}

export async function runCompiled(
  request: RunRequest,
  { program, kernel }: Pick<Made & { ok: true }, 'program' | 'kernel'>,
  context: RunnerContext,
  report: Report,
): Promise<Measurement> {
  const { options, machine } = context;
  const more = {
    device: machine.device,
    kernelKey: kernel.kernelKey,
    ...(kernel.resources === undefined ? {} : { resources: kernel.resources }),
  };
  const body = runBody(request, { ...kernel, cache: options.cache ?? 'cold' });
  const limitMs = options.runTimeoutMs ?? RUN_TIMEOUT_MS;
  const answered = await sendRequest('result', body, program, context, limitMs);
  if (!answered.ok) return report(answered.outcome, answered.message, more);
  const { ready, answer, note } = answered;
  const timed = request.mode === 'time' && answer.outcome === 'correct';
  const ceilings =
    timed && options.ceilings !== false
      ? await knownCeilings(request.runnable, ready, program, context)
      : {};
  return measurementOf(request, answer, {
    ready,
    report,
    ...ceilings,
    more: { ...more, device: deviceOf(ready, machine) },
    notes: [...(note === undefined ? [] : [note]), ...(ceilings.notes ?? [])],
  });
}

type Made =
  | { readonly ok: true; readonly program: RunnerProgram; readonly kernel: CompiledKernel }
  | NoResponse;

/**
 * Returns the runner and the compiled kernel, or the first failure. nvcc compiles while the runner
 * is built; NVRTC compiles in the runner.
 */
async function compileBoth({ runnable }: RunRequest, context: RunnerContext): Promise<Made> {
  const nvcc = context.machine.compiler.kind === 'nvcc';
  const [program, early] = await Promise.all([
    programOf(context),
    nvcc ? compileWithNvcc(runnable, context) : undefined,
  ]);
  // Compile errors of the kernel take precedence, because its author can fix them.
  if (early?.ok === false) return early;
  if (!program.ok) return program;
  const kernel = early ?? (await compileWithNvrtc(runnable, program.program, context));
  return kernel.ok ? { ok: true, program: program.program, kernel } : kernel;
}
