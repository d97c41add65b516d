/**
 * Code that runs kernels, starts processes, accepts browser connections or writes files. It is a
 * separate bundle that is loaded on first use, so opening a folder does not load it.
 *
 * The bundle is loaded only once, because it tracks the processes that it started.
 */
import { inspect, type InspectedText } from '../../core/profile/listing/inspect';
import { mainLoopLine } from '../../core/profile/listing/mainLoopLine';
import { normalised } from '../../core/profile/listing/normalize';
import { createSimulateBackend } from '../../core/simulate/backend';
import type { Runnable } from '../../core/kernel/kernel';
import { accessesOf } from '../../host/accesses';
import { defaultAuditJournal } from '../../host/audit/journal';
import { runAudit } from '../../host/audit/run';
import { cpuBackend } from '../../host/cpu/backend';
import { cudaBackend, type CudaOptions } from '../../host/cuda/backend';
import { remeasureCeilings } from '../../host/cuda/ceilings';
import { dawnBackend, locateDawn, validateWgsl } from '../../host/dawn/backend';
import type { DawnOptions } from '../../host/dawn/client';
import { installDawn, removeDawn } from '../../host/dawn/install';
import { adoptRow } from '../../host/dispatch';
import { doctor } from '../../host/doctor';
import type { SearchOptions } from '../../host/executables';
import { writeGenerated } from '../../host/files';
import { profile } from '../../host/ncu';
import { compileCubin } from '../../host/nvcc';
import { killAllGroups } from '../../host/processGroup';
import { ptxOf, type Ptx } from '../../host/ptx';
import { appendLines } from '../../host/runHistoryFiles';
import { runOrigin } from '../../host/runOrigin';
import { findDisassembler, sassOf } from '../../host/sass';
import { findNvcc } from '../../host/toolchain';
import type { CheckedWgsl, CompileRequest, FoundCompiler, WgslOptions } from '../abilities';
import { useDisplayLanguage } from '../shared/language';
import { workspaceFiles } from '../workspace/workspaceFiles';
import { serveBrowserPage } from './browserPage';
import { tuneOnCluster } from './cluster';
import { tuneInWorkspace } from './tune';

// Each bundle has its own copy of the translations.
useDisplayLanguage();

export const simulate = createSimulateBackend({
  now: () => performance.now(),
  // A timer would wait for at least one millisecond.
  pause: () => new Promise(resolve => setImmediate(resolve)),
});

export {
  cpuBackend,
  cudaBackend,
  doctor,
  killAllGroups,
  profile,
  remeasureCeilings as renewCeilings,
  serveBrowserPage,
};
export { adoptRow, appendLines, runOrigin, workspaceFiles, writeGenerated };
export { dawnBackend, installDawn, locateDawn, removeDawn, tuneInWorkspace, tuneOnCluster };
export { defaultAuditJournal, runAudit };
export type { CudaOptions };

export async function findCompiler(search: SearchOptions): Promise<FoundCompiler> {
  const found = await findNvcc(search);
  if (!found.ok) return found;
  const { nvcc } = found;
  const compiler = {
    build: nvcc.build,
    compile: (source: string, request: CompileRequest) =>
      compileCubin(source, { ...request, nvcc }),
    ptx: (source: string, request: CompileRequest) => ptxOf(source, { ...request, nvcc }),
    accesses: (runnable: Runnable, request: CompileRequest) =>
      accessesOf(runnable, runnable.source, { ...request, nvcc }),
    normalised,
    mainLoopLine,
    inspect: (listing: InspectedText) => Promise.resolve(inspect(listing)),
    sass: async (source: string, request: CompileRequest): Promise<Ptx> => {
      const tool = findDisassembler(nvcc, search);
      if (tool.ok) return await sassOf(source, tool.disassembler, { ...request, nvcc });
      const message = `${tool.why} ${tool.next}`;
      return { ok: false, outcome: 'unavailable', message, diagnostics: [] };
    },
  };
  return { ok: true, compiler };
}

export async function checkWgsl(
  source: string,
  { limits, signal }: WgslOptions,
  dawn: DawnOptions,
): Promise<CheckedWgsl> {
  const text = { source, ...(limits === undefined ? {} : { limits }) };
  const answer = await validateWgsl(dawn, [text], signal);
  if (!answer.ok) return { ok: false, why: answer.why };
  return { ok: true, messages: answer.messages[0] ?? [] };
}
