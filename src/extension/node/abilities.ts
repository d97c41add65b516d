/** What a Node extension host can do, on a desktop or a remote machine: it starts nvcc and runs CUDA. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { Backend } from '../../core/measure/backend';
import type { CudaOptions } from '../../host/cuda/backend';
import type { SearchOptions } from '../../host/executables';
import type { Abilities } from '../abilities';
import { settings } from '../settings';
import { nodeFiles } from './files';

type Programs = typeof import('./programs');
let loaded: Programs | undefined;

const programs = async (): Promise<Programs> => (loaded ??= await import('./programs'));

const later = (id: Backend['id'], backend: () => Promise<Backend>): Backend => ({
  id,
  probe: async () => (await backend()).probe(),
  run: async (request, context) => (await backend()).run(request, context),
});

/** Where programs are looked for: the setting, the environment, never the workspace. */
const search = (): SearchOptions => ({
  setting: settings.nvccPath(),
  workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
});

/** Goes into measurements: a remote window measures on the remote machine. */
const where = (): string => {
  const { remoteName } = vscode.env;
  return remoteName === undefined ? 'extension host' : `extension host, ${remoteName}`;
};

const cudaOptions = (): CudaOptions => ({
  ...{ search: search(), where: where(), gpu: settings.cudaDevice() },
  ...(settings.cudaCompiler() === 'nvrtc' ? { compiler: 'nvrtc' } : {}),
  compileTimeoutMs: settings.compileTimeoutMs(),
  runTimeoutMs: settings.runTimeoutMs(),
});

const dawnWorker = (): string => path.join(__dirname, 'dawnWorker.js');

export const nodeAbilities: Abilities = {
  findNvcc: async () => (await programs()).findCompiler(search()),
  cudaBackend: onDiagnostics =>
    later('cuda', async () =>
      (await programs()).cudaBackend({
        ...cudaOptions(),
        ...(onDiagnostics === undefined ? {} : { onDiagnostics }),
      }),
    ),
  measureCeilings: async context => (await programs()).renewCeilings(cudaOptions(), context),
  cpuBackend: onDiagnostics =>
    later('cpu', async () =>
      (await programs()).cpuBackend({
        search: { ...search(), setting: '' },
        where: where(),
        compileTimeoutMs: settings.compileTimeoutMs(),
        runTimeoutMs: settings.runTimeoutMs(),
        ...(onDiagnostics === undefined ? {} : { onDiagnostics }),
      }),
    ),
  tune: async ({ spec, backend, root, adapterTables }, context) =>
    (await programs()).tuneInWorkspace(
      {
        ...{
          spec,
          backend,
          gpus: [settings.cudaDevice()],
          where: where(),
          dawnWorker: dawnWorker(),
          adapterTables,
        },
        cuda: { search: search() },
        root: root?.scheme === 'file' ? root.fsPath : undefined,
      },
      context,
    ),
  doctor: async () => {
    const editor = { version: vscode.version, path: vscode.env.appRoot };
    return (await programs()).doctor({ search: search(), editor });
  },
  checkWgsl: async (source, options) => {
    const worker = dawnWorker();
    return (await programs()).checkWgsl(source, { ...options, worker, where: where() });
  },
  profile: async (runnable, request) =>
    (await programs()).profile(runnable, { ...request, search: search() }),
  files: nodeFiles,
  serveBrowserPage: async options => (await programs()).serveBrowserPage(options),
  simulate: later('simulate', async () => (await programs()).simulate),
};

/** Ends every program that runs. */
export const endPrograms = (): void => loaded?.killAllGroups();
