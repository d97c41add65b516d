/**
 * Backends on the machine of the extension host. The Problems view shows the diagnostics of their
 * compilers.
 */
import type { Backend } from '../../core/measure/backend';
import type { BackendId } from '../../core/measure/measurement';
import type { CudaOptions } from '../../host/cuda/backend';
import type { Abilities } from '../abilities';
import type { Compiler } from './compileKernel';
import type { ToolChain } from './toolChain';

export type HostBackendId = Exclude<BackendId, 'webgpu'>;

export function createHostBackends(
  abilities: Abilities,
  toolChain: ToolChain,
  compiler: Compiler,
): (id: HostBackendId) => Backend {
  const report: CudaOptions['onDiagnostics'] = ({ source }, diagnostics) => {
    compiler.reportText(source, diagnostics);
  };
  return id => {
    if (id === 'simulate') return toolChain.simulate;
    if (id === 'cuda') return abilities.cudaBackend(report);
    return abilities.cpuBackend?.(report) ?? toolChain.noCpu;
  };
}
