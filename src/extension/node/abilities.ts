/**
 * Abilities of a Node extension host on a desktop or remote machine, which can start nvcc and run
 * CUDA.
 */
import os from 'node:os';
import path from 'node:path';
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Backend } from '../../core/measure/backend';
import type { CudaOptions } from '../../host/cuda/backend';
import { DAWN } from '../../host/dawn/pinned';
import type { SearchOptions } from '../../host/executables';
import type { CapsuleBundle } from '../../core/report/capsule';
import type { FirstFrameBundle } from '../../protocol';
import type { Abilities, DawnAbility } from '../abilities';
import { settings } from '../shared/settings';
import { nodeFiles } from './files';
import { programs } from './loadPrograms';

/** Bundle of webview/firstFrame.tsx. */
const firstFrameBundle = async (): Promise<FirstFrameBundle> =>
  (await import(path.join(__dirname, 'firstFrame.cjs'))) as FirstFrameBundle;

/** Bundle of webview/capsule/bundle.ts. */
const capsuleBundle = async (): Promise<CapsuleBundle> =>
  (await import(path.join(__dirname, 'capsule.cjs'))) as CapsuleBundle;

/** Returns the home directory and the user name of this machine. */
function personalNames(): readonly string[] {
  try {
    return [os.homedir(), os.userInfo().username];
  } catch {
    // A user id without an entry in the user database has no name.
    return [os.homedir()];
  }
}

const later = (id: Backend['id'], backend: () => Promise<Backend>): Backend => ({
  id,
  probe: async () => (await backend()).probe(),
  run: async (request, context) => (await backend()).run(request, context),
});

/**
 * Returns the options of a search for programs: the nvcc path from the settings, and the workspace
 * folders, whose programs are ignored.
 */
const search = (): SearchOptions => ({
  setting: settings.nvccPath(),
  workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
});

/**
 * Returns the location for measurements: the extension host, with the remote name in a remote
 * window.
 */
const where = (): string => {
  const { remoteName } = vscode.env;
  return remoteName === undefined ? 'extension host' : `extension host, ${remoteName}`;
};

const cudaOptions = (): CudaOptions => ({
  search: search(),
  where: where(),
  gpu: settings.cudaDevice(),
  ...(settings.cudaCompiler() === 'nvrtc' ? { compiler: 'nvrtc' } : {}),
  python: settings.pythonPath(),
  compileTimeoutMs: settings.compileTimeoutMs(),
  runTimeoutMs: settings.runTimeoutMs(),
});

const dawnOptions = (storage: () => string) => ({
  worker: path.join(__dirname, 'dawnWorker.js'),
  where: where(),
  installed: path.join(storage(), 'dawn'),
  howToInstall: t('Run "GEMM: Check toolchain" to install it.'),
});

const dawnAbility = (storage: () => string): DawnAbility => {
  const folder = (): string => dawnOptions(storage).installed;
  return {
    get about() {
      return { ...DAWN, folder: folder() };
    },
    locate: async () => (await programs()).locateDawn(dawnOptions(storage)),
    probe: async () => (await programs()).dawnBackend(dawnOptions(storage)).probe(),
    install: async signal =>
      (await programs()).installDawn({
        folder: folder(),
        signal,
        search: { ...search(), setting: '' },
      }),
    remove: async () => (await programs()).removeDawn(folder()),
  };
};

/** @param storage returns the storage folder of the extension on this machine */
export const nodeAbilities = (storage: () => string): Abilities => ({
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
  tune: async ({ spec, backend, root, adapterTables, objective }, context) =>
    (await programs()).tuneInWorkspace(
      {
        spec,
        backend,
        gpus: [settings.cudaDevice()],
        where: where(),
        dawn: dawnOptions(storage),
        adapterTables,
        objective,
        cuda: { search: search() },
        root: root?.scheme === 'file' ? root.fsPath : undefined,
      },
      context,
    ),
  tuneOnCluster: async ({ root, ...wanted }, context) =>
    (await programs()).tuneOnCluster(
      {
        ...wanted,
        root: root.fsPath,
        search: { ...search(), setting: '' },
        dist: __dirname,
      },
      context,
    ),
  audit: async ({ shapes, tables, file }, context) => {
    const { defaultAuditJournal, runAudit } = await programs();
    const request = {
      shapes,
      ...(tables === undefined ? {} : { tables }),
      journal: defaultAuditJournal(file.scheme === 'file' ? file.fsPath : file.toString()),
      fresh: false,
      gpus: [settings.cudaDevice()],
      where: where(),
      cuda: { search: search() },
    };
    return await runAudit(request, context);
  },
  doctor: async () => {
    const editor = { version: vscode.version, path: vscode.env.appRoot };
    return (await programs()).doctor({ search: search(), editor, dawn: dawnOptions(storage) });
  },
  checkWgsl: async (source, options) =>
    (await programs()).checkWgsl(source, options, dawnOptions(storage)),
  dawn: dawnAbility(storage),
  profile: async (runnable, request) =>
    (await programs()).profile(runnable, { ...request, search: search() }),
  mcpServer: () => ({
    command: process.execPath,
    script: path.join(__dirname, 'mcp.cjs'),
    // VS Code's own program runs as Node with this variable.
    env: { ELECTRON_RUN_AS_NODE: '1' },
    tools: [
      ['--nvcc', settings.nvccPath()],
      ['--python', settings.pythonPath()],
      ['--gpu', String(settings.cudaDevice())],
      ['--dawn', dawnOptions(storage).installed],
    ].flatMap(([name = '', value = '']) => (value === '' ? [] : [name, value])),
  }),
  files: nodeFiles,
  firstFrame: async content =>
    (await firstFrameBundle()).firstFrame(content, vscode.l10n.bundle ?? {}),
  capsule: {
    write: async content => (await capsuleBundle()).capsuleOf(content, vscode.l10n.bundle ?? {}),
    secrets: personalNames,
  },
  serveBrowserPage: async options => (await programs()).serveBrowserPage(options),
  simulate: later('simulate', async () => (await programs()).simulate),
});
