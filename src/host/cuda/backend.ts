/** The cuda backend: compiles a kernel into a program of its own, runs that and decodes its result. */
import path from 'node:path';
import { archOf } from '../../core/device/computeCapability';
import { kernelKey } from '../../core/emit/hash';
import type { Runnable } from '../../core/emit/kernel';
import type { Availability, Backend, RunContext, RunRequest } from '../../core/measure/backend';
import type { Measurement } from '../../core/measure/measurement';
import { withSignal } from '../abort';
import type { Diagnostic } from '../diagnostics';
import type { SearchOptions } from '../executables';
import { compileProgram, KERNEL_FLAGS } from '../nvcc';
import { runProcess } from '../process';
import { findGpus, findNvcc, type Gpu, type Missing, type Nvcc } from '../toolchain';
import { hostProgram, unsupported } from './hostProgram';
import { decodeProgress } from './output';
import { measurementOf, reporter, resourcesOf } from './result';

export interface CudaOptions {
  readonly search?: SearchOptions;
  /** What runs it, for the Measurement: `extension host` or `cli`. */
  readonly where: string;
  readonly cacheFolder?: string;
  /** `cold` (the default): inputs rotate through three times the L2 cache. */
  readonly cache?: 'cold' | 'warm';
  /** Measures the GPU's own ceilings with every timed run (about a second); default true. */
  readonly ceilings?: boolean;
  readonly compileTimeoutMs?: number;
  readonly runTimeoutMs?: number;
  /** Compiler messages about the kernel, also of a run that succeeds. */
  readonly onDiagnostics?: (runnable: Runnable, diagnostics: readonly Diagnostic[]) => void;
}

const RUN_TIMEOUT_MS = 120_000;
/** The program ends itself first, with a better message. */
const WATCHDOG_MARGIN_MS = 3000;

type Machine =
  | {
      readonly ok: true;
      readonly nvcc: Nvcc;
      readonly gpu: Gpu;
      readonly device: Measurement['device'];
    }
  | Missing;

export function cudaBackend(options: CudaOptions): Backend {
  return {
    id: 'cuda',
    probe: async () => availability(await findMachine(options)),
    run: (request, context) =>
      withSignal(context.abort, signal => run(request, context, signal, options)),
  };
}

async function findMachine(options: CudaOptions): Promise<Machine> {
  const search = options.search ?? {};
  const [nvcc, gpus] = await Promise.all([findNvcc(search), findGpus({ ...search, setting: '' })]);
  if (!nvcc.ok) return nvcc;
  if (!gpus.ok) return gpus;
  const [gpu] = gpus.gpus;
  if (gpu === undefined) return { ok: false, path: gpus.path, why: 'No GPU is listed.', next: '' };
  const device = {
    name: gpu.name,
    adapter: `compute capability ${gpu.computeCapability}`,
    driver: gpu.driver,
    where: options.where,
  };
  return { ok: true, nvcc: nvcc.nvcc, gpu, device };
}

const availability = (machine: Machine): Availability =>
  machine.ok
    ? { available: true, device: machine.device }
    : { available: false, why: machine.why, next: machine.next };

async function run(
  request: RunRequest,
  context: RunContext,
  signal: AbortSignal,
  options: CudaOptions,
): Promise<Measurement> {
  const { runnable } = request;
  const report = reporter(runnable, options.where);
  const refusal =
    unsupported(runnable) ??
    (request.baselines?.some(id => id !== 'cublas') === true
      ? 'The cuda backend has no baseline but cublas so far.'
      : undefined);
  if (refusal !== undefined) return report('constraint', refusal);

  context.progress({ stage: 'look for nvcc and the GPU' });
  const machine = await findMachine(options);
  if (!machine.ok) return report('unavailable', `${machine.why} ${machine.next}`);
  const { nvcc, device } = machine;
  const arch = archOf(machine.gpu.computeCapability);
  const key = kernelKey({
    source: runnable.source,
    architecture: arch,
    compiler: `nvcc ${nvcc.build}`,
    flags: KERNEL_FLAGS,
  });
  const known = { device, kernelKey: key };

  context.progress({ stage: 'compile' });
  const compiled = await compileProgram(runnable.source, hostProgram(runnable, 'kernel.cu'), {
    ...{ nvcc, arch, signal },
    ...(options.cacheFolder === undefined ? {} : { cacheFolder: options.cacheFolder }),
    ...(options.compileTimeoutMs === undefined ? {} : { timeoutMs: options.compileTimeoutMs }),
  });
  options.onDiagnostics?.(runnable, compiled.diagnostics);
  if (!compiled.ok) return report(compiled.outcome, compiled.message, known);

  const timeoutMs = options.runTimeoutMs ?? RUN_TIMEOUT_MS;
  const answer = await runProcess(
    compiled.path,
    programArguments(request, options, nvcc, timeoutMs),
    {
      ...{ signal, timeoutMs },
      // The order in which nvidia-smi lists them.
      env: { CUDA_DEVICE_ORDER: 'PCI_BUS_ID' },
      onLine: (line, stream) => {
        const progress = stream === 'stdout' ? decodeProgress(line) : undefined;
        if (progress !== undefined) context.progress(progress);
      },
    },
  );
  const resources = compiled.kernels.find(({ entry }) => entry === runnable.entry);
  return measurementOf(request, answer, report, {
    ...known,
    ...(resources === undefined ? {} : { resources: resourcesOf(resources, runnable) }),
  });
}

function programArguments(
  request: RunRequest,
  options: CudaOptions,
  nvcc: Nvcc,
  timeoutMs: number,
): readonly string[] {
  const watchdogSeconds = Math.max(1, (timeoutMs - WATCHDOG_MARGIN_MS) / 1000);
  const timed = request.mode === 'time';
  return [
    ...['--mode', request.mode],
    ...['--seed', String(request.seed >>> 0)],
    ...['--deadline-s', String(watchdogSeconds)],
    ...['--cache', options.cache ?? 'cold'],
    ...['--baseline', request.baselines?.[0] ?? 'none'],
    ...['--libraries', path.join(path.dirname(path.dirname(nvcc.realPath)), 'lib64')],
    ...(timed && options.ceilings !== false ? ['--ceilings'] : []),
  ];
}
