/** Creates the backends for the CLI. */
import { fileURLToPath } from 'node:url';
import type { Backend } from '../core/measure/backend';
import type { BackendId } from '../core/measure/measurement';
import { createSimulateBackend } from '../core/simulate/backend';
import type { Target } from '../core/spec/schema';
import { cpuBackend } from '../host/cpu/backend';
import { cudaBackend, type CudaOptions } from '../host/cuda/backend';
import { dawnBackend } from '../host/dawn/backend';
import type { DawnSwitches } from '../host/dawn/toggles';

/**
 * Target language of each backend. The simulate backend is absent because it runs CUDA and WGSL
 * kernels.
 */
export const TARGET_OF: Readonly<Partial<Record<BackendId, Target>>> = {
  webgpu: 'wgsl',
  cuda: 'cuda',
  cpu: 'cuda',
};

/** Yields to the event loop, so that signals are handled during a simulation. */
const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Options of the Dawn worker, which is bundled in the same folder as dist/cli.js. */
export const DAWN_CLI = {
  worker: fileURLToPath(new URL('./dawnWorker.js', import.meta.url)),
  where: 'cli',
} as const;

export const webgpu = (switches: DawnSwitches = {}): Backend =>
  dawnBackend({ ...DAWN_CLI, ...switches });

export type CudaChoice = Pick<CudaOptions, 'gpu' | 'compiler' | 'python'>;

export function backendOf(
  id: BackendId,
  choice: CudaChoice = {},
  switches?: DawnSwitches,
): Backend {
  switch (id) {
    case 'simulate':
      return createSimulateBackend({ now: () => performance.now(), pause });
    case 'webgpu':
      return webgpu(switches);
    case 'cuda':
      return cudaBackend({ where: 'cli', ...choice });
    case 'cpu':
      return cpuBackend({ where: 'cli' });
  }
}
