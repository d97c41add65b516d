/**
 * Compiles CUDA source with nvcc. The output and log of a successful compilation are cached by
 * content.
 */
import * as fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { cached, contentKey, defaultCacheFolder, discard, store } from './cache';
import { parseDiagnostics, type Diagnostic } from './diagnostics';
import { architectureOf, assemblyFailure } from './hopper';
import { ptxTarget } from '../core/source/ptxFile';
import { runProcess, type ProcessResult } from './process';
import { parsePtxas, type KernelResources, type PtxasReport } from './ptxas';
import { messageOf, printable } from './text';
import { describeFailure, type Nvcc } from './toolchain';

export interface CompileOptions {
  readonly nvcc: Nvcc;
  /** Architecture, such as `sm_90`. */
  readonly arch: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly cacheFolder?: string;
}

export type Compiled =
  | {
      readonly ok: true;
      /** Path of the compiled file in the cache: cubin, PTX or executable. */
      readonly path: string;
      readonly kernels: readonly KernelResources[];
      /** Sentences that state why the resources of kernels are unknown. */
      readonly unread: readonly string[];
      /** Compiler messages, mapped to lines of the kernel file. */
      readonly diagnostics: readonly Diagnostic[];
      readonly cached: boolean;
    }
  | {
      readonly ok: false;
      readonly outcome: 'compile-error' | 'constraint' | 'timeout' | 'cancelled' | 'unavailable';
      readonly message: string;
      readonly diagnostics: readonly Diagnostic[];
    };

export const KERNEL_FLAGS: readonly string[] = ['-O3', '-std=c++17', '-lineinfo', '-Xptxas', '-v'];

export const PTX_FLAGS: readonly string[] = ['-O3', '-std=c++17', '-lineinfo'];

const ASSEMBLE_FLAGS: readonly string[] = ['-Xptxas', '-v'];

const TOOL_FLAGS: readonly string[] = ['-O3', '-std=c++17'];

/** File name under which a kernel is compiled. Paths in the line information end with it. */
export const KERNEL_FILE = 'kernel.cu';
const PTX_FILE = 'kernel.ptx';
const MAIN_FILE = 'main.cu';
const LOG_FILE = 'log.txt';
/** Namespace of the verification and ceiling kernels. */
const HARNESS_NAMESPACE = 'harness';
const COMPILE_TIMEOUT_MS = 120_000;

/**
 * Compiles a kernel file to a cubin, and returns the resources of each kernel. `instances` are the
 * template instances to compile, such as `gemm<128>`.
 */
export function compileCubin(
  source: string,
  options: CompileOptions & { readonly instances?: readonly string[] },
): Promise<Compiled> {
  const { instances = [] } = options;
  const recipe = { mode: ['-cubin'], flags: KERNEL_FLAGS, product: 'kernel.cubin' };
  const kernel = { [KERNEL_FILE]: source };
  if (instances.length === 0) return compile(kernel, { ...recipe, input: KERNEL_FILE }, options);
  // A template is instantiated only if it is used.
  const uses = instances.map(instance => `(const void*)&${instance}`).join(', ');
  const main = `#include "${KERNEL_FILE}"\nconst void* gemmExplorerInstances[] = {${uses}};\n`;
  return compile({ ...kernel, [MAIN_FILE]: main }, { ...recipe, input: MAIN_FILE }, options);
}

/**
 * Assembles a PTX file to a cubin, and returns the resources of each kernel. A target with the
 * suffix `a` is kept, because its instructions are not available without the suffix.
 */
export function assemblePtx(ptx: string, options: CompileOptions): Promise<Compiled> {
  const recipe = {
    mode: ['-cubin'],
    flags: ASSEMBLE_FLAGS,
    input: PTX_FILE,
    product: 'kernel.cubin',
  };
  const target = ptxTarget(ptx);
  const isSpecific = target?.endsWith('a') === true;
  const fits =
    target === undefined ||
    (isSpecific
      ? versionOf(target) === versionOf(options.arch)
      : versionOf(target) <= versionOf(options.arch));
  const arch = isSpecific ? target : options.arch;
  if (fits) return compile({ [PTX_FILE]: ptx }, recipe, { ...options, arch });
  const message = `The PTX requires ${target}, but the GPU is ${options.arch}. Fix: compile the PTX for that GPU, or choose a different GPU.`;
  return Promise.resolve({ ok: false, outcome: 'constraint', message, diagnostics: [] });
}

const versionOf = (arch: string): number => Number.parseInt(arch.slice(3), 10);

/** Compiles a kernel file to PTX. Resources are unknown, because ptxas does not run. */
export function compilePtx(source: string, options: CompileOptions): Promise<Compiled> {
  const recipe = { mode: ['-ptx'], flags: PTX_FLAGS, input: KERNEL_FILE, product: 'kernel.ptx' };
  return compile({ [KERNEL_FILE]: source }, recipe, options);
}

/**
 * Message for a log without ptxas output. With -Xptxas -v, ptxas prints a line even if there are no
 * kernels.
 */
const NO_REPORT =
  'nvcc printed no ptxas report, so registers and shared memory are unknown. Fix: check that the executable is NVIDIA’s nvcc.';

const PROGRAM = process.platform === 'win32' ? 'program.exe' : 'program';

/** Compiles an executable from `main`, which includes the kernel file as `kernel.cu`. */
export function compileProgram(
  source: string,
  main: string,
  options: CompileOptions,
): Promise<Compiled> {
  const recipe = { mode: [], flags: KERNEL_FLAGS, input: MAIN_FILE, product: PROGRAM };
  return compile({ [KERNEL_FILE]: source, [MAIN_FILE]: main }, recipe, options);
}

/** Compiles an executable from a single source, without line information and ptxas report. */
export function compileTool(main: string, options: CompileOptions): Promise<Compiled> {
  const recipe = { mode: [], flags: TOOL_FLAGS, input: MAIN_FILE, product: PROGRAM };
  return compile({ [MAIN_FILE]: main }, recipe, options);
}

interface Recipe {
  readonly mode: readonly string[];
  readonly flags: readonly string[];
  readonly input: string;
  readonly product: string;
}

async function compile(
  sources: Readonly<Record<string, string>>,
  { mode, flags: shared, input, product }: Recipe,
  options: CompileOptions,
): Promise<Compiled> {
  const { nvcc, arch, cacheFolder = defaultCacheFolder() } = options;
  if (!/^sm_\d{2,3}[af]?$/.test(arch)) {
    const message = `Expected a CUDA architecture such as sm_90, got '${printable(arch, 40)}'.`;
    return { ok: false, outcome: 'constraint', message, diagnostics: [] };
  }
  const kernel = sources[KERNEL_FILE] ?? sources[PTX_FILE] ?? '';
  const target = architectureOf(kernel, arch, nvcc.version);
  if (!target.ok) {
    return { ok: false, outcome: 'constraint', message: target.message, diagnostics: [] };
  }
  const flags = [...mode, ...shared, target.flag];
  const key = contentKey(nvcc.realPath, nvcc.build, ...flags, ...Object.entries(sources).flat());
  const done = async (entry: string, wasCached: boolean): Promise<Compiled | undefined> => {
    const file = path.join(entry, product);
    const log = await fs.readFile(path.join(entry, LOG_FILE), 'utf8').catch(() => undefined);
    if (log === undefined || !(await isProduct(file))) return undefined;
    // An executable also contains kernels of the harness, whose names may equal names in the kernel
    // file.
    const except = mode.includes('-cubin') ? undefined : HARNESS_NAMESPACE;
    const read = readLog(log, kernel, except);
    const message = assemblyFailure(kernel, log, read.kernels);
    if (message !== undefined) {
      return { ok: false, outcome: 'compile-error', message, diagnostics: read.diagnostics };
    }
    const isSilent = mode.includes('-cubin') && !/^ptxas info\b/m.test(log);
    const unread = isSilent ? [NO_REPORT] : read.unread;
    return { ok: true, path: file, ...read, unread, cached: wasCached };
  };
  const entry = await cached(cacheFolder, key);
  const hit = entry === undefined ? undefined : await done(entry, true);
  if (hit !== undefined) return hit;

  let folder: string | undefined;
  try {
    if (entry !== undefined) await discard(cacheFolder, key);
    folder = await buildFolder();
    for (const [name, text] of Object.entries(sources)) {
      await fs.writeFile(path.join(folder, name), text);
    }
    const answer = await runProcess(nvcc.path, [...flags, '-o', product, input], {
      timeoutMs: options.timeoutMs ?? COMPILE_TIMEOUT_MS,
      cwd: folder,
      env: { TMPDIR: folder, TEMP: folder, TMP: folder },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const log = `${answer.stdout}\n${answer.stderr}`;
    if (answer.code !== 0 || answer.aborted || answer.timedOut) {
      return await failure(answer, log, kernel, options);
    }
    if (!(await isProduct(path.join(folder, product)))) {
      return {
        ok: false,
        outcome: 'unavailable',
        message: `'${nvcc.path}' reported success but wrote no ${mode[0]?.slice(1) ?? 'program'}. Fix: check that it is NVIDIA’s nvcc, or set a different path in the settings.`,
        diagnostics: [],
      };
    }
    await fs.writeFile(path.join(folder, LOG_FILE), log);
    const stored = await store(cacheFolder, key, folder, [product, LOG_FILE]);
    const result = await done(stored, false);
    if (result !== undefined) return result;
    throw new Error(`the cache entry '${stored}' is damaged`);
  } catch (error) {
    return {
      ok: false,
      outcome: 'unavailable',
      message: `The compiled kernel could not be saved in '${cacheFolder}': ${messageOf(error)}. Fix: check the free space and the permissions of that folder.`,
      diagnostics: [],
    };
  } finally {
    if (folder !== undefined) await fs.rm(folder, { recursive: true, force: true });
  }
}

function readLog(
  log: string,
  kernel: string,
  except: string | undefined,
): PtxasReport & { readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics = parseDiagnostics(log, kernel, KERNEL_FILE);
  const warnings = diagnostics
    .filter(({ severity }) => severity === 'warning')
    .map(({ line, message }) => `line ${line + 1}: ${message}`);
  const { kernels, unread } = parsePtxas(log, except);
  return { kernels: kernels.map(found => ({ ...found, warnings })), unread, diagnostics };
}

async function failure(
  answer: ProcessResult,
  log: string,
  kernel: string,
  options: CompileOptions,
): Promise<Compiled> {
  const { nvcc, arch } = options;
  const fail = (
    outcome: Extract<Compiled, { ok: false }>['outcome'],
    message: string,
    diagnostics: readonly Diagnostic[] = [],
  ): Compiled => ({ ok: false, outcome, message, diagnostics });
  if (answer.aborted) return fail('cancelled', 'The compilation was cancelled.');
  if (answer.timedOut) return fail('timeout', 'nvcc exceeded its time limit and was stopped.');
  if (/Unsupported gpu architecture|is not defined for option 'gpu-architecture'/i.test(log)) {
    const known = await runProcess(nvcc.path, ['--list-gpu-code'], { timeoutMs: 10_000 });
    const codes = known.stdout.match(/\bsm_\d{2,3}[a-z]?\b/g) ?? [];
    const list = codes.length === 0 ? '' : ` Supported: ${codes.join(', ')}.`;
    return fail(
      'constraint',
      `nvcc ${nvcc.version} cannot compile for ${arch}.${list} Fix: choose a different device or CUDA toolkit.`,
    );
  }
  const diagnostics = parseDiagnostics(log, kernel, KERNEL_FILE);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined)
    return fail('unavailable', `nvcc ${describeFailure(answer)}`, diagnostics);
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return fail(
    'compile-error',
    `Line ${first.line + 1}: ${printable(first.message, 500)}${more}`,
    diagnostics,
  );
}

/**
 * Creates a temporary build folder. nvcc passes its path to a shell, so the path must not contain
 * special characters. The cache folder is not used, because the user's home may contain such
 * characters.
 */
async function buildFolder(): Promise<string> {
  const active = process.platform === 'win32' ? /["%!&|<>^\n]/ : /["'`$;&|<>*?!#()[\]{}\\\n]/;
  const base = [os.tmpdir(), '/tmp'].find(folder => !active.test(folder));
  if (base === undefined) {
    throw new Error(
      `nvcc cannot work in '${os.tmpdir()}'. Fix: set TMPDIR to a path without special characters`,
    );
  }
  return await fs.mkdtemp(path.join(base, 'gemm-explorer-'));
}

async function isProduct(file: string): Promise<boolean> {
  if (!file.endsWith('.ptx')) return await isBinary(file);
  const text = await fs.readFile(file, 'utf8').catch(() => '');
  return /^\.version /m.test(text);
}

async function isBinary(file: string): Promise<boolean> {
  try {
    const handle = await fs.open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
      return (
        bytesRead === 4 &&
        (buffer.toString('latin1') === '\x7fELF' || buffer.toString('latin1', 0, 2) === 'MZ')
      );
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}
