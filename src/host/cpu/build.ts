/** Compiles the executable of a run. The runtime and the executable are cached by content. */
import * as fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { cached, contentKey, defaultCacheFolder, store } from '../cache';
import { runProcess, type ProcessResult } from '../process';
import { messageOf } from '../text';
import { kernelFlags, runtimeFlags, type CxxCompiler } from './compiler';
import { stripHostCode } from './hostCode';
import { translateInlinePtx } from './inlinePtx';
import { cpuProgram, kernelFileOf, MAIN_FILE } from './program';
import { SHIM_FILES } from './shim';
import type { Runnable } from '../../core/kernel/kernel';

export interface BuildOptions {
  readonly compiler: CxxCompiler;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly cacheFolder?: string;
}

export type Built =
  | { readonly ok: true; readonly program: string }
  | {
      readonly ok: false;
      readonly outcome: 'compile-error' | 'timeout' | 'cancelled' | 'unavailable';
      /** The compiler's log if `isLog` is true, otherwise a sentence that describes the failure. */
      readonly message: string;
      readonly isLog: boolean;
    };

const COMPILE_TIMEOUT_MS = 120_000;
const PROGRAM = 'program';
const RUNTIME = 'runtime.o';

const failed = (outcome: Extract<Built, { ok: false }>['outcome'], message: string): Built => ({
  ok: false,
  outcome,
  message,
  isLog: outcome === 'compile-error',
});

export async function buildProgram(
  runnables: readonly Runnable[],
  options: BuildOptions,
): Promise<Built> {
  const { compiler, cacheFolder = defaultCacheFolder() } = options;
  const sources = {
    [MAIN_FILE]: cpuProgram(runnables),
    ...Object.fromEntries(
      runnables.map(({ source }, job) => [
        kernelFileOf(job),
        translateInlinePtx(stripHostCode(source)),
      ]),
    ),
  };
  const flags = kernelFlags(compiler);
  const identity = [compiler.realPath, compiler.version, ...Object.entries(SHIM_FILES).flat()];
  const key = contentKey(...identity, ...flags, ...Object.entries(sources).flat());
  try {
    const hit = await cached(cacheFolder, key);
    if (hit !== undefined && (await exists(path.join(hit, PROGRAM)))) {
      return { ok: true, program: path.join(hit, PROGRAM) };
    }
    return await inFolder(async folder => {
      const runtime = await runtimeObject(folder, identity, options, cacheFolder);
      if (typeof runtime !== 'string') return runtime;
      await write(folder, sources);
      const compile = [...flags, '-I', '.', '-c', MAIN_FILE, '-o', 'main.o'];
      const link = ['-no-pie', 'main.o', runtime, '-o', PROGRAM];
      for (const args of [compile, link]) {
        const answer = await run(args, folder, options);
        if (answer.code !== 0) return failure(answer, compiler);
      }
      const stored = await store(cacheFolder, key, folder, [PROGRAM]);
      return { ok: true, program: path.join(stored, PROGRAM) };
    });
  } catch (error) {
    return failed(
      'unavailable',
      `The compiled kernel could not be saved in '${cacheFolder}': ${messageOf(error)}. Fix: check the free space and the permissions of that folder.`,
    );
  }
}

/**
 * Writes the shim's files to `folder`, and compiles the runtime if it is not cached. Returns the
 * path of the object file, or the failure.
 */
async function runtimeObject(
  folder: string,
  identity: readonly string[],
  options: BuildOptions,
  cacheFolder: string,
): Promise<string | Built> {
  await write(folder, SHIM_FILES);
  const key = contentKey(...identity, ...runtimeFlags());
  const hit = await cached(cacheFolder, key);
  if (hit !== undefined && (await exists(path.join(hit, RUNTIME)))) return path.join(hit, RUNTIME);
  const args = [...runtimeFlags(), '-I', '.', '-c', 'runtime.cpp', '-o', RUNTIME];
  const answer = await run(args, folder, options);
  if (answer.code !== 0) {
    const { outcome, message } = failure(answer, options.compiler);
    const why = `'${options.compiler.path}' could not compile the runtime of the cpu backend`;
    return outcome === 'compile-error'
      ? failed('unavailable', `${why}: ${message.slice(0, 500)}`)
      : failed(outcome, message);
  }
  return path.join(await store(cacheFolder, key, folder, [RUNTIME]), RUNTIME);
}

const run = (
  args: readonly string[],
  folder: string,
  { compiler, timeoutMs = COMPILE_TIMEOUT_MS, signal }: BuildOptions,
): Promise<ProcessResult> =>
  runProcess(compiler.path, args, {
    timeoutMs,
    cwd: folder,
    env: { TMPDIR: folder },
    ...(signal === undefined ? {} : { signal }),
  });

function failure(answer: ProcessResult, { path: compiler }: CxxCompiler) {
  if (answer.aborted) return failedWith('cancelled', 'The compilation was cancelled.');
  if (answer.timedOut) {
    return failedWith('timeout', `'${compiler}' exceeded its time limit and was stopped.`);
  }
  if (answer.spawnError !== undefined) return failedWith('unavailable', answer.spawnError);
  return failedWith('compile-error', `${answer.stdout}\n${answer.stderr}`);
}

const failedWith = (outcome: Extract<Built, { ok: false }>['outcome'], message: string) => ({
  ok: false as const,
  outcome,
  message,
  isLog: outcome === 'compile-error',
});

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'gemm-explorer-'));
  try {
    return await use(folder);
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, text);
  }
}

const exists = (file: string): Promise<boolean> =>
  fs.access(file, fs.constants.X_OK & 0).then(
    () => true,
    () => false,
  );
