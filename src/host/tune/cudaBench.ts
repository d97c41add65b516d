/** Compiles and measures the CUDA kernels of a tuning run on one or more GPUs. */
import { availableParallelism } from 'node:os';
import { t } from '@vscode/l10n';
import type { Kernel } from '../../core/kernel/kernel';
import type { RunRequest } from '../../core/measure/backend';
import { withSignal } from '../abort';
import { runCompiled } from '../cuda/backend';
import { unsupported } from '../cuda/hostProgram';
import { measurementBuilder } from '../cuda/result';
import { greet, programOf, type RunnerContext } from '../cuda/runner/requests';
import {
  compilerName,
  compileWithNvcc,
  nvccKeyOf,
  type CompiledKernel,
} from '../cuda/runner/compileKernel';
import { findMachine, type CudaMachine, type CudaOptions } from '../cuda/runner/machine';
import { TUNE_SEED, type OpenedBench } from './opened';

export interface CudaBenchOptions extends Omit<CudaOptions, 'gpu' | 'compiler'> {
  /** GPU indices, as listed by nvidia-smi. */
  readonly gpus: readonly number[];
  /** Maximum number of concurrent compilations; default: the number of CPU cores. */
  readonly compilers?: number;
  readonly signal: AbortSignal;
  readonly progress: (stage: string) => void;
}

/** Default time limit of a run in milliseconds. */
const RUN_TIMEOUT_MS = 30_000;
/**
 * Default time limit of a compilation in milliseconds; ptxas is slow for kernels with high register
 * pressure.
 */
const COMPILE_TIMEOUT_MS = 60_000;

export async function openCudaBench(
  options: CudaBenchOptions,
): Promise<OpenedBench<CompiledKernel>> {
  const { signal, progress } = options;
  const shared = {
    runTimeoutMs: RUN_TIMEOUT_MS,
    compileTimeoutMs: COMPILE_TIMEOUT_MS,
    ...options,
    ceilings: false,
  };
  const contexts: RunnerContext[] = [];
  const ids: string[] = [];
  for (const gpu of options.gpus) {
    const found = await findMachine({ ...shared, gpu });
    if (!found.ok) return no(`${found.why} ${found.next}`);
    const { machine } = found;
    const [first] = contexts;
    if (first !== undefined && first.machine.gpu.name !== machine.gpu.name) {
      const text = t(
        'All GPUs of a tuning run must be the same model, but {0} and {1} differ. Fix: select GPUs with --gpus.',
        first.machine.gpu.name,
        machine.gpu.name,
      );
      return no(text);
    }
    contexts.push({
      machine,
      signal,
      options: { ...shared, gpu },
      progress: ({ stage }) => {
        progress(stage);
      },
    });
  }
  const [first] = contexts;
  if (first === undefined) return no(t('Expected at least one GPU. Fix: use --gpus 0.'));
  const { compiler } = first.machine;
  if (compiler.kind !== 'nvcc') {
    return no(t('Tuning requires nvcc. Fix: install the CUDA toolkit.'));
  }
  const made = await programOf(first);
  if (!made.ok) return made;
  const { program } = made;
  let driver = '';
  for (const context of contexts) {
    const greeted = await greet(program, context);
    if (!greeted.ok) return greeted;
    ids.push(greeted.ready.device.uuid);
    driver = greeted.ready.device.driver ?? '';
  }
  const { nvcc } = compiler;
  const keyOf = (kernel: Kernel): string => nvccKeyOf(kernel, first.machine, nvcc);
  return {
    ok: true,
    identity: { gpus: ids, driver, compiler: compilerName(nvcc) },
    bench: {
      gpus: namesOf(contexts.map(({ machine }) => machine)),
      compilers: options.compilers ?? availableParallelism(),
      keyOf,
      prepare: (kernel, abort) =>
        withSignal(abort, async compiling => {
          const report = measurementBuilder(kernel, options.where);
          const refusal = unsupported(kernel);
          const known = { device: first.machine.device, kernelKey: keyOf(kernel) };
          if (refusal !== undefined) {
            return { ok: false, measurement: report('constraint', refusal, known) };
          }
          const compiled = await compileWithNvcc(kernel, { ...first, signal: compiling });
          if (compiled.ok) return { ok: true, prepared: compiled };
          const { outcome, message } = compiled;
          return { ok: false, measurement: report(outcome, message, known) };
        }),
      measure: (compiled, kernel, { effort, gpu, abort }) =>
        withSignal(abort, async running => {
          const context = contexts[gpu] ?? first;
          const request: RunRequest = { runnable: kernel, mode: 'time', seed: TUNE_SEED, effort };
          return await runCompiled(
            request,
            { program, kernel: compiled },
            { ...context, signal: running, progress: () => undefined },
            measurementBuilder(kernel, options.where),
          );
        }),
    },
  };
}

const no = (message: string) => ({ ok: false, outcome: 'unavailable', message }) as const;

const namesOf = (machines: readonly CudaMachine[]): readonly string[] =>
  machines.map(({ gpu, index }) => (machines.length === 1 ? gpu.name : `${gpu.name} (${index})`));
