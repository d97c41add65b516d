/**
 * Compiles a kernel to a cubin with nvcc, or with NVRTC in the runner, and finds the symbols of its
 * launches.
 */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { kernelKey } from '../../../core/text/hash';
import { launchesOf, type Launch, type Runnable } from '../../../core/kernel/kernel';
import { locatePtxKernels } from '../../../core/source/ptxFile';
import { functionName, symbolOf } from '../../../core/source/symbols';
import type { Measurement } from '../../../core/measure/measurement';
import { contentKey } from '../../cache';
import { parseDiagnostics } from '../../diagnostics';
import { architectureOf, assemblyFailure } from '../../hopper';
import { replaceFile } from '../../files';
import { assemblePtx, compileCubin, KERNEL_FILE, KERNEL_FLAGS } from '../../nvcc';
import { parsePtxas, type PtxasReport } from '../../ptxas';
import { messageOf, printable } from '../../text';
import type { Nvcc } from '../../toolchain';
import { resourcesOf } from '../result';
import { sendRequest, type RunnerContext, type NoResponse } from './requests';
import { cubinSymbols } from './cubin';
import type { CudaMachine } from './machine';
import type { RunnerProgram } from './program';

export interface CompiledKernel {
  readonly ok: true;
  readonly cubin: string;
  /** Mangled names of the kernels, one per launch, in order. */
  readonly symbols: readonly string[];
  readonly kernelKey: string;
  readonly resources?: NonNullable<Measurement['resources']>;
}

type Result = CompiledKernel | (NoResponse & { readonly kernelKey?: string });

const NVRTC_FLAGS: readonly string[] = ['--std=c++17', '-lineinfo', '--ptxas-options=-v'];
/**
 * Returns the NVRTC option for the toolkit's include folder, because NVRTC has no default include
 * folder.
 */
const headersOf = ({ libraries }: RunnerProgram): string =>
  `--include-path=${path.join(path.dirname(libraries), 'include')}`;
const NVRTC_TIMEOUT_MS = 120_000;

/** Returns the kernel key of a compilation with nvcc, without compiling. */
export function nvccKeyOf(runnable: Runnable, { arch }: CudaMachine, nvcc: Nvcc): string {
  const target = architectureOf(runnable.source, arch);
  return keyOf(runnable, target.ok ? target.arch : arch, compilerName(nvcc), KERNEL_FLAGS);
}
export const compilerName = ({ build }: Nvcc): string => `nvcc ${build}`;

export async function compileWithNvcc(runnable: Runnable, context: RunnerContext): Promise<Result> {
  const { machine, options, signal } = context;
  const { compiler, arch, cacheFolder } = machine;
  if (compiler.kind !== 'nvcc') throw new Error('this machine compiles with NVRTC');
  const { nvcc } = compiler;
  const key = nvccKeyOf(runnable, machine, nvcc);
  const { source, foreign } = runnable;
  if (foreign?.kind === 'cubin') return await cubinOf(runnable, foreign.path, machine);
  const compileOptions = {
    nvcc,
    arch,
    signal,
    cacheFolder,
    ...(options.compileTimeoutMs === undefined ? {} : { timeoutMs: options.compileTimeoutMs }),
  };
  const compiled =
    foreign?.kind === 'ptx'
      ? await assemblePtx(source, compileOptions)
      : await compileCubin(source, { ...compileOptions, instances: instancesOf(runnable) });
  options.onDiagnostics?.(runnable, compiled.diagnostics);
  if (!compiled.ok) {
    const { outcome, message } = compiled;
    return { ok: false, outcome, message, kernelKey: key };
  }
  return loaded(runnable, { cubin: compiled.path, key, ...compiled });
}

/** Uses a compiled kernel as it is. */
const cubinOf = (runnable: Runnable, cubin: string, { arch }: CudaMachine): Promise<Result> =>
  loaded(runnable, { cubin, key: keyOf(runnable, arch, 'cubin', []), kernels: [], unread: [] });

/** Writes PTX to a file for the driver, which compiles it and requires a zero byte at the end. */
async function ptxOf(runnable: Runnable, { arch, cacheFolder }: CudaMachine): Promise<Result> {
  const { source } = runnable;
  const folder = path.join(cacheFolder, '..', 'ptx');
  const file = path.join(folder, `${contentKey(source)}.ptx`);
  const key = keyOf(runnable, arch, 'ptx', []);
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(file, `${source}\0`);
  } catch (error) {
    const message = `'${file}' could not be written: ${messageOf(error)}. Fix: check the permissions of its folder.`;
    return { ok: false, outcome: 'unavailable', message, kernelKey: key };
  }
  return resolved(runnable, { cubin: file, key }, locatePtxKernels(source).map(nameOf));
}

const nameOf = ({ entry }: { readonly entry: string }): string => entry;

export async function compileWithNvrtc(
  runnable: Runnable,
  program: RunnerProgram,
  context: RunnerContext,
): Promise<Result> {
  const { cacheFolder } = context.machine;
  const { foreign } = runnable;
  if (foreign?.kind === 'cubin') return await cubinOf(runnable, foreign.path, context.machine);
  if (foreign?.kind === 'ptx') return await ptxOf(runnable, context.machine);
  if (instancesOf(runnable).length > 0) {
    const message =
      'Instantiating a template requires nvcc, but this machine compiles with NVRTC. Fix: install the CUDA toolkit.';
    return { ok: false, outcome: 'constraint', message };
  }
  const { source } = runnable;
  const target = architectureOf(source, context.machine.arch);
  if (!target.ok) return { ok: false, outcome: 'constraint', message: target.message };
  const { arch } = target;
  const folder = path.join(cacheFolder, '..', 'nvrtc');
  const out = path.join(folder, `${contentKey(source, arch, ...NVRTC_FLAGS)}.cubin`);
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const message = `The folder '${folder}' could not be created: ${messageOf(error)}. Fix: check the permissions of its parent folder.`;
    return { ok: false, outcome: 'unavailable', message };
  }
  const flags = [...NVRTC_FLAGS, headersOf(program)];
  const body = { source, name: KERNEL_FILE, arch, flags, out };
  const limitMs = context.options.compileTimeoutMs ?? NVRTC_TIMEOUT_MS;
  const answered = await sendRequest(
    'compiled',
    { type: 'compile', ...body },
    program,
    context,
    limitMs,
  );
  if (!answered.ok) return answered;
  const { ok, log, compiler = 'nvrtc' } = answered.answer;
  const key = keyOf(runnable, arch, compiler, NVRTC_FLAGS);
  const diagnostics = parseDiagnostics(log, source, KERNEL_FILE);
  context.options.onDiagnostics?.(runnable, diagnostics);
  if (!ok) {
    if (arch !== context.machine.arch && log.includes(OLD_NVRTC)) {
      const message = `${compiler} does not support ${arch}, which Hopper instructions require. Fix: install CUDA 12.0 or newer.`;
      return { ok: false, outcome: 'constraint', message, kernelKey: key };
    }
    const first = diagnostics.find(({ severity }) => severity === 'error');
    const message =
      first === undefined
        ? `${compiler}: ${printable(log, 500)}`
        : `Line ${first.line + 1}: ${printable(first.message, 500)}`;
    return { ok: false, outcome: 'compile-error', message, kernelKey: key };
  }
  const report = parsePtxas(log);
  const loss = assemblyFailure(source, log, report.kernels);
  if (loss !== undefined) {
    return { ok: false, outcome: 'compile-error', message: loss, kernelKey: key };
  }
  return loaded(runnable, { cubin: out, key, ...report });
}

/** NVRTC's message for an unsupported architecture. */
const OLD_NVRTC = 'invalid value for --gpu-architecture';

const keyOf = (
  { source }: Runnable,
  architecture: string,
  compiler: string,
  flags: readonly string[],
): string => kernelKey({ source, architecture, compiler, flags });

const instancesOf = (runnable: Runnable): readonly string[] => [
  ...new Set(
    launchesOf<Launch>(runnable)
      .map(({ entry }) => entry)
      .filter(entry => entry.includes('<')),
  ),
];

interface Made extends PtxasReport {
  readonly cubin: string;
  readonly key: string;
}

async function loaded(runnable: Runnable, { cubin, key, kernels, unread }: Made): Promise<Result> {
  const no = (message: string): Result => {
    return { ok: false, outcome: 'constraint', message, kernelKey: key };
  };
  const bytes = await fs.readFile(cubin).catch(() => undefined);
  if (bytes === undefined) return no(`The compiled kernel '${cubin}' cannot be read.`);
  const reported = kernels.map(({ symbol }) => symbol);
  const isWhole = reported.length > 0 && unread.length === 0;
  const all = isWhole ? reported : cubinSymbols(bytes);
  const made = resolved(runnable, { cubin, key }, all);
  const main = symbolOf(runnable.entry, all);
  const resources = kernels.find(({ symbol }) => symbol === main);
  return made.ok && resources !== undefined
    ? { ...made, resources: resourcesOf(resources, runnable) }
    : made;
}

/** Finds the symbol of each launch. */
function resolved(
  runnable: Runnable,
  { cubin, key }: Pick<Made, 'cubin' | 'key'>,
  all: readonly string[],
): Result {
  const symbols: string[] = [];
  for (const { entry } of launchesOf<Launch>(runnable)) {
    const symbol = symbolOf(entry, all);
    if (symbol === undefined) {
      return { ok: false, outcome: 'constraint', message: noSymbol(entry, all), kernelKey: key };
    }
    symbols.push(symbol);
  }
  return { ok: true, cubin, symbols, kernelKey: key };
}

function noSymbol(entry: string, symbols: readonly string[]): string {
  const candidates = symbols.filter(symbol => functionName(symbol) === functionName(entry));
  if (candidates.length > 1) {
    const list = printable(candidates.join(', '), 500);
    return `'${entry}' is ambiguous: ${list}. Fix: use the name with namespace and template arguments.`;
  }
  const list = symbols.length === 0 ? 'none' : printable(symbols.map(functionName).join(', '), 300);
  return `The compiled source has no kernel '${entry}'; it has ${list}. Fix: correct the name, or instantiate the template in the file.`;
}
