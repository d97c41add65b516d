/** Compiles and measures the CUDA kernels of a tuning run on one or more GPUs. */
import { availableParallelism } from 'node:os';
import type { RunRequest } from '../../core/measure/backend';
import { withSignal } from '../abort';
import { runCompiled } from '../cuda/backend';
import { measurementBuilder } from '../cuda/result';
import type { CompiledKernel } from '../cuda/runner/compileKernel';
import { openGpus, prepareKernel, type GpuOptions } from '../cuda/runner/gpus';
import { TUNE_SEED, type OpenedBench } from './opened';

export interface CudaBenchOptions extends GpuOptions {
  /** Maximum number of concurrent compilations; default: the number of CPU cores. */
  readonly compilers?: number;
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
  const shared = {
    runTimeoutMs: RUN_TIMEOUT_MS,
    compileTimeoutMs: COMPILE_TIMEOUT_MS,
    ...options,
    ceilings: false,
  };
  const opened = await openGpus(shared);
  if (!opened.ok) return opened;
  const { all, first, program, driver, compiler, keyOf, names, uuids } = opened;
  return {
    ok: true,
    identity: { gpus: uuids, driver, compiler },
    bench: {
      gpus: names,
      compilers: options.compilers ?? availableParallelism(),
      keyOf,
      prepare: (kernel, abort) =>
        withSignal(abort, signal => prepareKernel(kernel, opened, signal)),
      measure: (compiled, kernel, { effort, gpu, abort }) =>
        withSignal(abort, async running => {
          const { context } = all[gpu] ?? first;
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
