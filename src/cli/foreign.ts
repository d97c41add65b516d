/** Reads kernels that are not CUDA or WGSL source: cubins, and functions of Python files. */
import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { parseCubin, sideFileOf } from '../core/source/cubinFile';
import { readKernel, type KernelFile, type KernelText } from '../core/source/kernelFile';
import { readPythonFile } from '../core/source/pythonFile';
import type { ResolvedProblem } from '../core/spec/resolved';
import { cubinSymbols } from '../host/cuda/runner/cubin';
import { readRegular } from '../host/userFile';
import { readBytes, readText } from './input';
import { invalidInput } from './result';

const MAX_SIDE_BYTES = 1_000_000;

/** A Python file, optionally with the function to call: `kernels.py:matmul`. */
const PYTHON = /^(.+\.py)(?::([\p{ID_Start}_][\p{ID_Continue}]*))?$/iu;

export const isPythonFile = (path: string): boolean => PYTHON.test(path);
export const isCubin = (path: string): boolean => /\.cubin$/i.test(path);

/** Reads a function. `problem` applies if the file does not state its problem. */
export async function readPython(
  path: string,
  problem: ResolvedProblem | undefined,
): Promise<KernelFile> {
  const [, file = path, callable] = PYTHON.exec(path) ?? [];
  const place = { fileName: basename(file), path: resolve(file), callable, problem };
  const read = readPythonFile(await readText(file), place);
  return read.ok ? { ...read, origin: 'hand-written' } : read;
}

export const readCubin = async (path: string): Promise<KernelFile> =>
  readKernel(await cubinText(path));

/** Reads a cubin. `given` replaces the text of its side file. */
export async function cubinText(path: string, given?: string): Promise<KernelText> {
  const bytes = await readBytes(path);
  const symbols = cubinSymbols(bytes);
  if (symbols.length === 0) {
    throw invalidInput(
      `${path} is not a cubin with kernels. Fix: compile it with nvcc -cubin, or pass a .ptx or .cu file.`,
    );
  }
  const side =
    given ??
    (await readRegular(sideFileOf(path), MAX_SIDE_BYTES).then(
      read => read.toString('utf8'),
      () => undefined,
    ));
  return parseCubin({
    fileName: basename(path),
    path: resolve(path),
    hash: createHash('sha256').update(bytes).digest('hex'),
    symbols,
    side,
  });
}
