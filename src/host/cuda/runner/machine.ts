/** What a CUDA run needs of this machine: a GPU, and nvcc, or a runner that an nvcc of before has made. */
import path from 'node:path';
import type { Runnable } from '../../../core/kernel/kernel';
import { archOf } from '../../../core/hardware/computeCapability';
import type { Measurement } from '../../../core/measure/measurement';
import { defaultCacheFolder } from '../../cache';
import type { Diagnostic } from '../../diagnostics';
import type { SearchOptions } from '../../executables';
import { findGpus, findNvcc, type Gpu, type Missing, type Nvcc } from '../../toolchain';
import { builtRunner, type RunnerProgram } from './program';
import { runnerFor } from './source';

export interface CudaOptions {
  readonly search?: SearchOptions;
  /** What runs it, for the Measurement: `extension host` or `cli`. */
  readonly where: string;
  readonly cacheFolder?: string;
  /** As nvidia-smi counts them; default 0. */
  readonly gpu?: number;
  /** `nvrtc` compiles in the runner; the default is nvcc where there is one. */
  readonly compiler?: 'nvcc' | 'nvrtc';
  /** `cold` (the default): inputs rotate through three times the L2 cache. */
  readonly cache?: 'cold' | 'warm';
  /** Adds the GPU's own ceilings to timed runs, measured once a GPU and driver (some seconds); default true. */
  readonly ceilings?: boolean;
  readonly compileTimeoutMs?: number;
  readonly runTimeoutMs?: number;
  /** How long a runner without work stays. */
  readonly idleMs?: number;
  /** Compiler messages about the kernel, also of a run that succeeds. */
  readonly onDiagnostics?: (runnable: Runnable, diagnostics: readonly Diagnostic[]) => void;
}

export interface CudaMachine {
  readonly gpu: Gpu;
  readonly index: number;
  readonly arch: string;
  readonly device: Measurement['device'];
  readonly cacheFolder: string;
  /** NVRTC's is the runner's own matter. */
  readonly compiler: { readonly kind: 'nvcc'; readonly nvcc: Nvcc } | { readonly kind: 'nvrtc' };
  readonly nvcc?: Nvcc;
  /** Made before; without nvcc it is there. */
  readonly program?: RunnerProgram;
}

export async function findMachine(
  options: CudaOptions,
): Promise<{ readonly ok: true; readonly machine: CudaMachine } | Missing> {
  const { search = {}, gpu: index = 0, cacheFolder = defaultCacheFolder() } = options;
  const [nvcc, gpus] = await Promise.all([findNvcc(search), findGpus({ ...search, setting: '' })]);
  if (!gpus.ok) return nvcc.ok ? gpus : nvcc;
  const gpu = gpus.gpus[index];
  if (gpu === undefined) return noSuchGpu(index, gpus.gpus, gpus.path);
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

function noSuchGpu(index: number, gpus: readonly Gpu[], file: string): Missing {
  const listed = gpus.map(({ name }, at) => `${at} (${name})`).join(', ');
  const why = `There is no GPU ${index} here.`;
  const next = `nvidia-smi lists ${listed === '' ? 'none' : listed}: choose one with --gpu or the setting gemm.cuda.device.`;
  return { ok: false, path: file, why, next };
}
