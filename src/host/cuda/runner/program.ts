/** The runner's own program: compiled once from its sources, found again where nvcc is gone. */
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
  /** Absolute. */
  readonly path: string;
  /** The toolkit's libraries, looked at first. */
  readonly libraries: string;
}

export interface BuildOptions {
  readonly source: string;
  /** Of the GPU that it is for, such as `sm_90`. */
  readonly arch: string;
  readonly cacheFolder: string;
  readonly signal: AbortSignal;
}

export type Built =
  | { readonly ok: true; readonly program: RunnerProgram }
  | Pick<Extract<Compiled, { ok: false }>, 'ok' | 'outcome' | 'message'>;

/** It has kernels of its own for every element type. */
const BUILD_TIMEOUT_MS = 600_000;

const noted = v.object({
  path: v.pipe(v.string(), v.maxLength(4096)),
  libraries: v.pipe(v.string(), v.maxLength(4096)),
});

/** Where the last program of these sources is noted: finding it must not take nvcc. */
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
  // Without the note only a machine that loses its nvcc is worse off.
  if (!built.cached) await replaceFile(noteOf(options), JSON.stringify(program)).catch(() => 0);
  return { ok: true, program };
}

/** The program that an nvcc of before has made of these sources. */
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

/** A program that turned out to be none is made anew. */
export const forgetRunner = (program: RunnerProgram): Promise<void> =>
  fs.rm(path.dirname(program.path), { recursive: true, force: true });
