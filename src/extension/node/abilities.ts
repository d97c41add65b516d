/** What a Node extension host can do, on a desktop or a remote machine: it starts nvcc and runs CUDA. */
import * as vscode from 'vscode';
import { cudaBackend } from '../../host/cuda/backend';
import { doctor } from '../../host/doctor';
import type { SearchOptions } from '../../host/executables';
import { compileCubin } from '../../host/nvcc';
import { ptxOf } from '../../host/ptx';
import { findNvcc } from '../../host/toolchain';
import type { Abilities, CompileRequest } from '../abilities';
import { settings } from '../settings';
import { nodeFiles } from './files';

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

export const nodeAbilities: Abilities = {
  findNvcc: async () => {
    const found = await findNvcc(search());
    if (!found.ok) return found;
    const { nvcc } = found;
    const compiler = {
      build: nvcc.build,
      compile: (source: string, request: CompileRequest) =>
        compileCubin(source, { ...request, nvcc }),
      ptx: (source: string, request: CompileRequest) => ptxOf(source, { ...request, nvcc }),
    };
    return { ok: true, compiler };
  },
  cudaBackend: onDiagnostics =>
    cudaBackend({
      search: search(),
      where: where(),
      compileTimeoutMs: settings.compileTimeoutMs(),
      runTimeoutMs: settings.runTimeoutMs(),
      ...(onDiagnostics === undefined ? {} : { onDiagnostics }),
    }),
  doctor: () =>
    doctor({ search: search(), editor: { version: vscode.version, path: vscode.env.appRoot } }),
  files: nodeFiles,
  pause: () => new Promise(resolve => setImmediate(resolve)),
};
