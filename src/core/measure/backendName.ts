/** Display names of the backends, identical in the page and in the editor. */
import type { BackendId } from './measurement';

const NAMES: Readonly<Record<BackendId, string>> = {
  webgpu: 'WebGPU',
  simulate: 'Simulate',
  cuda: 'CUDA',
  cpu: 'CPU',
};

export const backendName = (backend: BackendId): string => NAMES[backend];
