/** The backends of this version, and what a run needs from each. */
import { fileURLToPath } from 'node:url';
import type { Backend } from '../core/measure/backend';
import type { BackendId } from '../core/measure/measurement';
import { createSimulateBackend } from '../core/simulate/backend';
import type { Target } from '../core/spec/schema';
import { cpuBackend } from '../host/cpu/backend';
import { cudaBackend, type CudaOptions } from '../host/cuda/backend';
import { dawnBackend } from '../host/dawn/backend';
import type { DawnSwitches } from '../host/dawn/toggles';

/** The target a backend runs; simulate takes either. */
export const TARGET_OF: Readonly<Partial<Record<BackendId, Target>>> = {
  webgpu: 'wgsl',
  cuda: 'cuda',
  cpu: 'cuda',
};

/** Lets a signal through between two blocks. */
const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Bundled beside this file, dist/cli.js. */
export const DAWN_CLI = {
  worker: fileURLToPath(new URL('./dawnWorker.js', import.meta.url)),
  where: 'cli',
} as const;

/** Dawn in a process of its own. */
export const webgpu = (switches: DawnSwitches = {}): Backend =>
  dawnBackend({ ...DAWN_CLI, ...switches });

/** What only the cuda backend is told. */
export type CudaChoice = Pick<CudaOptions, 'gpu' | 'compiler'>;

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
