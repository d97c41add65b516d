/**
 * Lists the tools that GEMM Explorer can use on this machine, with the purpose of each installed
 * tool and how to install each missing tool.
 */
import path from 'node:path';
import { findCxx } from './cpu/compiler';
import { locateDawn } from './dawn/backend';
import type { DawnOptions } from './dawn/client';
import { findExecutable, type SearchOptions } from './executables';
import { runProcess } from './process';
import { findGpus, findNvcc } from './toolchain';

export interface Tool {
  readonly id: string;
  readonly found: boolean;
  readonly version: string | null;
  readonly path: string | null;
  /** Purpose of an installed tool, or how to install a missing tool. */
  readonly hint: string;
}

export interface DoctorOptions {
  readonly search?: SearchOptions;
  /** Options of the Dawn worker. Without them, Dawn is not listed. */
  readonly dawn?: DawnOptions;
  readonly probeWebgpu?: () => Promise<Tool>;
  /**
   * Version and path of VS Code, if the caller runs inside it. Otherwise the VS Code command is
   * searched for on PATH.
   */
  readonly editor?: { readonly version: string; readonly path: string };
}

export async function doctor(options: DoctorOptions = {}): Promise<readonly Tool[]> {
  const search = options.search ?? {};
  // The path setting only applies to nvcc.
  const onPath: SearchOptions = {
    ...(search.workspaceFolders === undefined ? {} : { workspaceFolders: search.workspaceFolders }),
    ...(search.environment === undefined ? {} : { environment: search.environment }),
  };
  const tools = await Promise.all([
    nvccTool(search),
    gpuTool(onPath),
    program(
      {
        id: 'ncu',
        names: ['ncu'],
        good: 'Profiles kernels.',
        get: 'Nsight Compute is part of the CUDA toolkit. Fix: put its folder on PATH.',
      },
      onPath,
    ),
    cxxTool(onPath),
    options.probeWebgpu?.() ?? webgpuUnknown,
    options.dawn === undefined ? [] : dawnTool(options.dawn),
    program(
      {
        id: 'browser',
        names: [
          'chromium',
          'chromium-browser',
          'google-chrome',
          'google-chrome-stable',
          'microsoft-edge',
          'chrome',
          'msedge',
        ],
        folders: browserFolders(onPath.environment ?? process.env),
        good: 'Opens VS Code in the browser.',
        get: 'Install Chromium, Chrome or Edge.',
      },
      onPath,
    ),
    options.editor === undefined
      ? program(
          {
            id: 'vscode',
            names: ['code', 'code-insiders', 'codium'],
            good: 'Runs the extension.',
            get: 'Install Visual Studio Code 1.101 or later and its `code` command.',
          },
          onPath,
        )
      : { id: 'vscode', found: true, ...options.editor, hint: 'Runs the extension.' },
  ]);
  return tools.flat();
}

const webgpuUnknown: Tool = {
  id: 'webgpu',
  found: false,
  version: null,
  path: null,
  hint: 'Not checked by this command. Open the explorer to see the adapter of the webview.',
};

async function dawnTool(options: DawnOptions): Promise<Tool> {
  const dawn = await locateDawn(options);
  if (dawn.found) {
    const { version, path: folder } = dawn;
    return { id: 'dawn', found: true, version, path: folder, hint: DAWN_RUNS };
  }
  const hint = `${dawn.why} ${dawn.next}`;
  return { id: 'dawn', found: false, version: null, path: null, hint };
}

export const DAWN_RUNS = 'Tunes and checks WGSL outside a browser.';

async function nvccTool(search: SearchOptions): Promise<Tool> {
  const found = await findNvcc(search);
  return found.ok
    ? {
        id: 'nvcc',
        found: true,
        version: found.nvcc.build,
        path: found.nvcc.path,
        hint: 'Compiles CUDA kernels.',
      }
    : {
        id: 'nvcc',
        found: false,
        version: null,
        path: found.path,
        hint: `${found.why} ${found.next}`,
      };
}

/**
 * Describes the C++ compiler. The cpu backend requires Linux; on other systems only nvcc uses the
 * compiler.
 */
async function cxxTool(search: SearchOptions): Promise<Tool> {
  const found = await findCxx(search);
  if (!found.ok && process.platform === 'linux') {
    const { path: file, why, next } = found;
    return { id: 'cxx', found: false, version: null, path: file, hint: `${why} ${next}` };
  }
  if (!found.ok) {
    const names =
      process.platform === 'win32' ? ['cl', 'clang++', 'g++'] : ['c++', 'clang++', 'g++'];
    const get = 'Install a C++ compiler: the Xcode tools or the Visual Studio build tools.';
    return program({ id: 'cxx', names, good: 'Compiles host code for nvcc.', get }, search);
  }
  const { version, path: file } = found.compiler;
  const hint =
    'Verifies CUDA kernels on the CPU (`--backend cpu`) and compiles host code for nvcc.';
  return { id: 'cxx', found: true, version, path: file, hint };
}

async function gpuTool(search: SearchOptions): Promise<Tool> {
  const found = await findGpus(search);
  if (!found.ok) {
    return {
      id: 'gpu',
      found: false,
      version: null,
      path: found.path,
      hint: `${found.why} ${found.next}`,
    };
  }
  const names = found.gpus.map(gpu => `${gpu.name} (compute capability ${gpu.computeCapability})`);
  return {
    id: 'gpu',
    found: true,
    version: found.gpus[0]?.driver ?? null,
    path: found.path,
    hint: `Runs CUDA kernels: ${names.join(', ')}.`,
  };
}

interface Program {
  readonly id: string;
  readonly names: readonly string[];
  readonly folders?: readonly string[];
  readonly good: string;
  readonly get: string;
}

/** Describes a program. An installed program counts as found even if its version is unknown. */
async function program(wanted: Program, search: SearchOptions): Promise<Tool> {
  const { id, names, folders = [], good, get } = wanted;
  const located = findExecutable(names, search, [], folders);
  if (!located.ok) {
    return { id, found: false, version: null, path: null, hint: `${located.why} ${get}` };
  }
  return {
    id,
    found: true,
    version: await versionOf(located.path),
    path: located.path,
    hint: good,
  };
}

async function versionOf(file: string): Promise<string | null> {
  // On Windows the version is not queried: browsers would open a window, and cl has no --version
  // option.
  if (process.platform === 'win32') return null;
  const answer = await runProcess(file, ['--version'], { timeoutMs: 10_000 });
  const match = /\b\d{1,5}(?:\.\d{1,6}){1,4}/.exec(answer.code === 0 ? answer.stdout : '');
  return match?.[0] ?? null;
}

function browserFolders(environment: NodeJS.ProcessEnv): readonly string[] {
  if (process.platform !== 'win32') {
    return ['/snap/bin', '/opt/google/chrome', '/Applications/Chromium.app/Contents/MacOS'];
  }
  return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    .flatMap(name => environment[name] ?? [])
    .flatMap(folder => [
      path.join(folder, 'Google', 'Chrome', 'Application'),
      path.join(folder, 'Microsoft', 'Edge', 'Application'),
    ]);
}
