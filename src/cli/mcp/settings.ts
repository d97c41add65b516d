/** Settings of the MCP server, which only the person who starts it chooses. */
import type { Backend } from '../../core/measure/backend';
import type { BackendId } from '../../core/measure/measurement';
import { createSimulateBackend } from '../../core/simulate/backend';
import { cpuBackend } from '../../host/cpu/backend';
import { cudaBackend } from '../../host/cuda/backend';
import { dawnBackend } from '../../host/dawn/backend';
import type { DawnOptions } from '../../host/dawn/client';
import type { SearchOptions } from '../../host/executables';
import { DAWN_CLI } from '../backends';
import { invalidInput, type Failure } from '../result';

export interface ServerSettings {
  /** Real path of the folder that bounds every path of a call. */
  readonly root: string;
  /** Whether calls may compile and run kernels, start processes and write files. */
  readonly allowRun: boolean;
  /** Paths of tools; without them, the tools on PATH are used. */
  readonly nvcc?: string | undefined;
  readonly python?: string | undefined;
  /** Index of the GPU; default: 0. */
  readonly gpu?: number | undefined;
  /** Folder with an installed Dawn. */
  readonly dawn?: string | undefined;
}

/** Location in measurements. */
export const WHERE = 'mcp';

/** Returns the options of a search for programs, which skips the root folder. */
export const searchIn = ({ root, nvcc }: ServerSettings): SearchOptions => ({
  workspaceFolders: [root],
  ...(nvcc === undefined ? {} : { setting: nvcc }),
});

/** Options for programs that have no setting of their own. */
export const onPath = ({ root }: ServerSettings): SearchOptions => ({ workspaceFolders: [root] });

export const dawnIn = ({ dawn }: ServerSettings): DawnOptions => ({
  worker: DAWN_CLI.worker,
  where: WHERE,
  ...(dawn === undefined ? {} : { installed: dawn }),
});

export function backendIn(settings: ServerSettings, id: BackendId): Backend {
  const { gpu = 0, python } = settings;
  switch (id) {
    case 'simulate':
      return createSimulateBackend({
        now: () => performance.now(),
        pause: () => new Promise(resolve => setImmediate(resolve)),
      });
    case 'webgpu':
      return dawnBackend(dawnIn(settings));
    case 'cpu':
      return cpuBackend({ where: WHERE, search: onPath(settings) });
    case 'cuda':
      return cudaBackend({
        where: WHERE,
        search: searchIn(settings),
        gpu,
        ...(python === undefined ? {} : { python }),
      });
  }
}

/** Returns the error of a call that needs `--allow-run`. */
export const notAllowed = (what: string): Failure =>
  invalidInput(
    `${what} is not allowed: this server is read-only. Fix: the user starts it with --allow-run, or trusts the workspace in VS Code.`,
  );
