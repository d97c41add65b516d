/** Opens one or more GPUs of the same model with one runner program, and nvcc as the compiler. */
import { t } from '@vscode/l10n';
import type { Kernel } from '../../../core/kernel/kernel';
import type { Prepared } from '../../../core/search/tune/bench';
import { unsupported } from '../hostProgram';
import { measurementBuilder } from '../result';
import { compilerName, compileWithNvcc, nvccKeyOf, type CompiledKernel } from './compileKernel';
import { findMachine, type CudaMachine, type CudaOptions } from './machine';
import type { RunnerProgram } from './program';
import type { Ready } from './protocol';
import { greet, programOf, type NoResponse, type RunnerContext } from './requests';

export interface GpuOptions extends Omit<CudaOptions, 'gpu' | 'compiler'> {
  /** GPU indices, as listed by nvidia-smi. */
  readonly gpus: readonly number[];
  readonly signal: AbortSignal;
  readonly progress: (stage: string) => void;
}

export interface OpenedGpu {
  readonly context: RunnerContext;
  readonly ready: Ready;
}

export interface OpenedGpus {
  readonly ok: true;
  readonly first: OpenedGpu;
  readonly all: readonly OpenedGpu[];
  readonly program: RunnerProgram;
  readonly driver: string;
  readonly compiler: string;
  /** Names of the GPUs, with their indices if there are several. */
  readonly names: readonly string[];
  /** UUIDs of the GPUs. */
  readonly uuids: readonly string[];
  /** Returns the kernel key of a compilation, without compiling. */
  readonly keyOf: (kernel: Kernel) => string;
}

export async function openGpus(options: GpuOptions): Promise<OpenedGpus | NoResponse> {
  const { signal, progress } = options;
  const contexts: RunnerContext[] = [];
  for (const gpu of options.gpus) {
    const found = await findMachine({ ...options, gpu });
    if (!found.ok) return no(`${found.why} ${found.next}`);
    const { machine } = found;
    const [first] = contexts;
    if (first !== undefined && first.machine.gpu.name !== machine.gpu.name) {
      const text = t(
        'All GPUs must be the same model, but {0} and {1} differ. Fix: select GPUs with --gpus.',
        first.machine.gpu.name,
        machine.gpu.name,
      );
      return no(text);
    }
    contexts.push({
      machine,
      signal,
      options: { ...options, gpu },
      progress: ({ stage }) => {
        progress(stage);
      },
    });
  }
  const [context] = contexts;
  if (context === undefined) return no(t('Expected at least one GPU. Fix: use --gpus 0.'));
  const { machine } = context;
  const { compiler } = machine;
  if (compiler.kind !== 'nvcc') {
    return no(t('This command requires nvcc. Fix: install the CUDA toolkit.'));
  }
  const made = await programOf(context);
  if (!made.ok) return made;
  const all: OpenedGpu[] = [];
  for (const each of contexts) {
    const greeted = await greet(made.program, each);
    if (!greeted.ok) return greeted;
    all.push({ context: each, ready: greeted.ready });
  }
  const { nvcc } = compiler;
  const [first] = all;
  if (first === undefined) throw new Error('a list with a GPU has a first GPU');
  return {
    ok: true,
    first,
    all,
    program: made.program,
    names: namesOf(contexts.map(each => each.machine)),
    uuids: all.map(({ ready }) => ready.device.uuid),
    driver: all.at(-1)?.ready.device.driver ?? '',
    compiler: compilerName(nvcc),
    keyOf: kernel => nvccKeyOf(kernel, machine, nvcc),
  };
}

const no = (message: string): NoResponse => ({ ok: false, outcome: 'unavailable', message });

const namesOf = (machines: readonly CudaMachine[]): readonly string[] =>
  machines.map(({ gpu, index }) => (machines.length === 1 ? gpu.name : `${gpu.name} (${index})`));

/** Compiles a kernel. Returns a Measurement with the reason if it cannot run. */
export async function prepareKernel(
  kernel: Kernel,
  { first, keyOf }: Pick<OpenedGpus, 'first' | 'keyOf'>,
  signal: AbortSignal,
): Promise<Prepared<CompiledKernel>> {
  const { context } = first;
  const report = measurementBuilder(kernel, context.options.where);
  const known = { device: context.machine.device, kernelKey: keyOf(kernel) };
  const refusal = unsupported(kernel);
  if (refusal !== undefined)
    return { ok: false, measurement: report('constraint', refusal, known) };
  const compiled = await compileWithNvcc(kernel, { ...context, signal });
  if (compiled.ok) return { ok: true, prepared: compiled };
  const { outcome, message } = compiled;
  return { ok: false, measurement: report(outcome, message, known) };
}
