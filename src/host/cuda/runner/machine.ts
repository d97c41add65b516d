/** Finds the prerequisites of a CUDA run: a GPU, and nvcc or a runner that was built earlier. */
import path from 'node:path';
import type { Runnable } from '../../../core/kernel/kernel';
import { archOf } from '../../../core/hardware/computeCapability';
import type { Measurement } from '../../../core/measure/measurement';
import { defaultCacheFolder } from '../../cache';
import type { Diagnostic } from '../../diagnostics';
import type { SearchOptions } from '../../executables';
import type { PythonLimits } from '../../python/session';
import { findGpus, findNvcc, type Gpu, type Missing, type Nvcc } from '../../toolchain';
import { builtRunner, type RunnerProgram } from './program';
import { runnerFor } from './source';

export interface CudaOptions {
  readonly search?: SearchOptions;
  /** Location in measurements, such as `extension host` or `cli`. */
  readonly where: string;
  readonly cacheFolder?: string;
  /** GPU index, as listed by nvidia-smi; default 0. */
  readonly gpu?: number;
  /** Compiler of kernels: `nvcc`, or `nvrtc` in the runner. Default: nvcc if installed. */
  readonly compiler?: 'nvcc' | 'nvrtc';
  /**
   * State of the L2 cache. `cold` (default): launches rotate through copies of the matrices with a
   * total size of at least three times the L2 cache.
   */
  readonly cache?: 'cold' | 'warm';
  /**
   * Whether timed runs include the GPU's ceilings; default true. They are measured once per GPU and
   * driver, which takes some seconds.
   */
  readonly ceilings?: boolean;
  /** Path of the Python interpreter; default: the interpreter on PATH. */
  readonly python?: string;
  readonly pythonLimits?: PythonLimits;
  readonly compileTimeoutMs?: number;
  readonly runTimeoutMs?: number;
  /** Time in milliseconds after which an idle runner ends. */
  readonly idleMs?: number;
  /** Called with the compiler's messages about a kernel, even if the run succeeds. */
  readonly onDiagnostics?: (runnable: Runnable, diagnostics: readonly Diagnostic[]) => void;
}

export interface CudaMachine {
  readonly gpu: Gpu;
  readonly index: number;
  readonly arch: string;
  readonly device: Measurement['device'];
  readonly cacheFolder: string;
  readonly compiler: { readonly kind: 'nvcc'; readonly nvcc: Nvcc } | { readonly kind: 'nvrtc' };
  readonly nvcc?: Nvcc;
  /** Runner that was built earlier. Always defined if nvcc is missing. */
  readonly program?: RunnerProgram;
}

export async function findMachine(
  options: CudaOptions,
): Promise<{ readonly ok: true; readonly machine: CudaMachine } | Missing> {
  const { search = {}, gpu: index = 0, cacheFolder = defaultCacheFolder() } = options;
  const [nvcc, gpus] = await Promise.all([findNvcc(search), findGpus({ ...search, setting: '' })]);
  if (!gpus.ok) return nvcc.ok ? gpus : nvcc;
  const gpu = gpus.gpus[index];
  if (gpu === undefined) return unknownGpu(index, gpus.gpus, gpus.path);
  const arch = archOf(gpu.computeCapability);
  const device = {
    name: gpu.name,
    adapter: `compute capability ${gpu.computeCapability}`,
    driver: gpu.driver,
    where: options.where,
  };
  const found = { gpu, index, arch, device, cacheFolder: path.resolve(cacheFolder) };
  const signal = new AbortController().signal;
  const program = await builtRunner({ ...runnerFor(arch), cacheFolder, signal });
  const made = program === undefined ? {} : { program };
  if (nvcc.ok) {
    const compiler =
      options.compiler === 'nvrtc'
        ? ({ kind: 'nvrtc' } as const)
        : ({ kind: 'nvcc', nvcc: nvcc.nvcc } as const);
    return { ok: true, machine: { ...found, ...made, compiler, nvcc: nvcc.nvcc } };
  }
  if (program === undefined || options.compiler === 'nvcc') return nvcc;
  return { ok: true, machine: { ...found, program, compiler: { kind: 'nvrtc' } } };
}

function unknownGpu(index: number, gpus: readonly Gpu[], file: string): Missing {
  const listed = gpus.map(({ name }, at) => `${at} (${name})`).join(', ');
  const why = `GPU ${index} does not exist.`;
  const next = `nvidia-smi lists ${listed === '' ? 'no GPU' : listed}. Fix: choose a listed GPU with --gpu or the setting gemm.cuda.device.`;
  return { ok: false, path: file, why, next };
}
