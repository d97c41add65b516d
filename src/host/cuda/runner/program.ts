/**
 * Builds the runner executable once per source and architecture. The executable remains usable if
 * nvcc is removed.
 */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { hashText } from '../../../core/text/hash';
import { contentKey } from '../../cache';
import { replaceFile } from '../../files';
import { compileTool, type Compiled } from '../../nvcc';
import { checkExecutable } from '../../executables';
import type { Nvcc } from '../../toolchain';

export interface RunnerProgram {
  /** Absolute path. */
  readonly path: string;
  /** Library folder of the CUDA toolkit, which is searched first. */
  readonly libraries: string;
}

export interface BuildOptions {
  readonly source: string;
  /** Compile target, such as `sm_90a`. */
  readonly arch: string;
  readonly cacheFolder: string;
  readonly signal: AbortSignal;
}

export type Built =
  | { readonly ok: true; readonly program: RunnerProgram }
  | Pick<Extract<Compiled, { ok: false }>, 'ok' | 'outcome' | 'message'>;

/**
 * Time limit in milliseconds. Compilation is slow, because the runner contains kernels for every
 * element type.
 */
const BUILD_TIMEOUT_MS = 600_000;

const noted = v.object({
  path: v.pipe(v.string(), v.maxLength(4096)),
  libraries: v.pipe(v.string(), v.maxLength(4096)),
});

/**
 * Returns the path of the record of the newest executable for this source and architecture. The
 * record allows the executable to be found without nvcc.
 */
const noteOf = ({ source, arch, cacheFolder }: BuildOptions): string =>
  path.join(cacheFolder, '..', `runner-${contentKey(hashText(source), arch)}.json`);

export async function buildRunner(nvcc: Nvcc, options: BuildOptions): Promise<Built> {
  const { arch, cacheFolder, signal } = options;
  const built = await compileTool(options.source, {
    nvcc,
    arch,
    cacheFolder,
    signal,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  if (!built.ok) {
    const { outcome, message } = built;
    return { ok: false, outcome, message: `The CUDA runner could not be compiled: ${message}` };
  }
  const program = {
    path: built.path,
    libraries: path.join(path.dirname(path.dirname(nvcc.realPath)), 'lib64'),
  };
  // The record is only required if nvcc is removed later, so a write error is ignored.
  if (!built.cached) await replaceFile(noteOf(options), JSON.stringify(program)).catch(() => 0);
  return { ok: true, program };
}

/**
 * Returns the executable that was built earlier for this source and architecture. Returns undefined
 * if it is missing, not executable or outside the cache.
 */
export async function builtRunner(options: BuildOptions): Promise<RunnerProgram | undefined> {
  const text = await fs.readFile(noteOf(options), 'utf8').catch(() => 'null');
  const program = decode(text);
  const ours = program?.path.startsWith(path.resolve(options.cacheFolder) + path.sep) === true;
  return ours && checkExecutable(program.path).ok ? program : undefined;
}

function decode(text: string): RunnerProgram | undefined {
  try {
    const decoded = v.safeParse(noted, JSON.parse(text));
    return decoded.success ? decoded.output : undefined;
  } catch {
    return undefined;
  }
}

/** Removes an unusable executable from the cache, so that it is built again. */
export const forgetRunner = (program: RunnerProgram): Promise<void> =>
  fs.rm(path.dirname(program.path), { recursive: true, force: true });
