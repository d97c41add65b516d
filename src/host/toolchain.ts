/** Finds nvcc and the NVIDIA GPUs, or reports why they are missing or invalid. */
import path from 'node:path';
import { findExecutable, realPath, type Located, type SearchOptions } from './executables';
import { printable } from './text';
import { runProcess, type ProcessResult } from './process';

export interface Nvcc {
  readonly path: string;
  readonly realPath: string;
  /** Release number, such as `13.0`. */
  readonly version: string;
  /** Full version, such as `13.0.88`. */
  readonly build: string;
}

export interface Missing {
  readonly ok: false;
  readonly path: string | null;
  readonly why: string;
  readonly next: string;
}

export type FoundNvcc = { readonly ok: true; readonly nvcc: Nvcc } | Missing;

export interface Gpu {
  readonly name: string;
  readonly driver: string;
  /** Compute capability, such as `9.0`. */
  readonly computeCapability: string;
  readonly memoryMiB: number | null;
}

export type FoundGpus =
  { readonly ok: true; readonly gpus: readonly Gpu[]; readonly path: string } | Missing;

const VERSION_TIMEOUT_MS = 10_000;
const INSTALL_NVCC =
  'Install the CUDA toolkit (https://developer.nvidia.com/cuda-downloads) and put nvcc on PATH, or set CUDA_PATH to the toolkit’s folder (in VS Code: gemm.nvcc.path).';

/**
 * Finds nvcc at the path in the setting, in the `bin` folder of CUDA_PATH or CUDA_HOME, or on PATH.
 */
export async function findNvcc(options: SearchOptions = {}): Promise<FoundNvcc> {
  const located = locateNvcc(options);
  if (!located.ok) return { ...located, next: INSTALL_NVCC };
  const answer = await runProcess(located.path, ['--version'], {
    timeoutMs: options.versionTimeoutMs ?? VERSION_TIMEOUT_MS,
  });
  const version = answer.code === 0 ? decodeNvccVersion(answer.stdout) : undefined;
  if (version === undefined) {
    return {
      ok: false,
      path: located.path,
      why: `'${located.path} --version' ${describeFailure(answer)}`,
      next: 'Check that the executable is NVIDIA’s nvcc, or set a different path in the settings.',
    };
  }
  return {
    ok: true,
    nvcc: { path: located.path, realPath: realPath(located.path), ...version },
  };
}

function locateNvcc(options: SearchOptions): Located {
  const { environment = process.env } = options;
  const roots = ['CUDA_PATH', 'CUDA_HOME'].flatMap(name => environment[name] ?? []);
  return findExecutable(
    ['nvcc'],
    options,
    roots.map(root => path.join(root, 'bin')),
  );
}

/** Returns undefined if the text is not the output of `nvcc --version`. */
export function decodeNvccVersion(
  text: string,
): { readonly version: string; readonly build: string } | undefined {
  const match = /\brelease (\d{1,3}\.\d{1,3}), V(\d{1,3}(?:\.\d{1,6}){1,3})/.exec(text);
  const [, version, build] = match ?? [];
  return version === undefined || build === undefined ? undefined : { version, build };
}

/** Describes why a process did not produce usable output, as the end of a sentence. */
export function describeFailure(answer: ProcessResult): string {
  if (answer.spawnError !== undefined) return `did not start: ${answer.spawnError}`;
  if (answer.timedOut) return 'exceeded its time limit and was stopped.';
  if (answer.signal !== null) return `was ended by ${answer.signal}.`;
  const output = printable(answer.stderr.trim() === '' ? answer.stdout : answer.stderr, 200);
  const text = output === '' ? 'without output' : `with: ${output}`;
  return answer.code === 0 ? `ended unexpectedly ${text}.` : `failed (${answer.code}) ${text}.`;
}

export async function findGpus(options: SearchOptions = {}): Promise<FoundGpus> {
  const { environment = process.env } = options;
  const located = findExecutable(
    ['nvidia-smi'],
    options,
    [],
    [
      '/usr/bin',
      '/usr/local/nvidia/bin',
      ...(environment['SystemRoot'] === undefined
        ? []
        : [path.join(environment['SystemRoot'], 'System32')]),
    ],
  );
  // The caller knows which other backends can run the kernel.
  const next = 'CUDA kernels require an NVIDIA GPU and its driver.';
  if (!located.ok) {
    return {
      ok: false,
      path: null,
      why: 'No NVIDIA driver was found: nvidia-smi is missing.',
      next,
    };
  }
  const answer = await runProcess(
    located.path,
    ['--query-gpu=name,driver_version,compute_cap,memory.total', '--format=csv,noheader,nounits'],
    { timeoutMs: options.versionTimeoutMs ?? VERSION_TIMEOUT_MS },
  );
  const gpus = answer.code === 0 ? decodeGpus(answer.stdout) : [];
  if (gpus.length > 0) return { ok: true, gpus, path: located.path };
  return { ok: false, path: located.path, why: `nvidia-smi ${describeFailure(answer)}`, next };
}

/** Parses lines of the form `name, driver, compute capability, MiB`. Other lines are ignored. */
export function decodeGpus(text: string): readonly Gpu[] {
  return text.split('\n').flatMap(line => {
    const match = /^(.{1,100}), *([\d.]{1,20}), *(\d{1,2}\.\d), *(\d{1,9}|\[.*\]) *\r?$/.exec(line);
    const [, name, driver, computeCapability, memory] = match ?? [];
    if (name === undefined || driver === undefined || computeCapability === undefined) return [];
    const memoryMiB = Number(memory);
    return [
      {
        name: printable(name, 100),
        driver,
        computeCapability,
        memoryMiB: Number.isFinite(memoryMiB) ? memoryMiB : null,
      },
    ];
  });
}
