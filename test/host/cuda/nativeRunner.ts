/** The runner's own program on the CPU: g++ and a shim stand for nvcc, the GPU and its driver. */
import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { runnerSource } from '../../../src/host/cuda/sources';
import { forShim, precompiledHeaders, SHIM, SHIM_FLAGS } from '../shimCompiler';
import { present } from '../support';

export interface NativeRunner {
  readonly program: string;
  /** The driver's shim must be found before any real driver. */
  readonly environment: NodeJS.ProcessEnv;
  readonly cubin: string;
}

/** Undefined where there is no g++ on Linux. `kernels` become one cubin, each by its name. */
export async function buildNativeRunner(
  folder: string,
  kernels: string,
): Promise<NativeRunner | undefined> {
  const compiler = process.platform === 'linux' ? present('g++') : undefined;
  if (compiler === undefined) return undefined;
  const compile = promisify(execFile);
  const at = (name: string): string => path.join(folder, name);
  writeFileSync(at('runner.cpp'), forShim(runnerSource('sm_90')));
  writeFileSync(at('kernels.cpp'), kernels);
  // The loader takes ; and : between folders.
  const plain = path.dirname(folder);
  const shared = [...SHIM_FLAGS, '-shared', '-fPIC'];
  const headers = precompiledHeaders(compiler);
  await Promise.all([
    compile(compiler, [
      ...SHIM_FLAGS,
      ...headers,
      at('runner.cpp'),
      '-o',
      at('runner'),
      '-ldl',
      '-lpthread',
    ]),
    compile(compiler, [
      ...shared,
      path.join(SHIM, 'driver.cpp'),
      '-o',
      path.join(plain, 'libcuda.so.1'),
    ]),
    compile(compiler, [...shared, at('kernels.cpp'), '-o', at('kernels.cubin')]),
  ]);
  return {
    program: at('runner'),
    environment: { ...process.env, LD_LIBRARY_PATH: plain },
    cubin: at('kernels.cubin'),
  };
}

export type Line = Readonly<Record<string, unknown>>;

/** A running runner: `ask` gives the answer after all progress; `ended` its exit code. */
export function startNative(
  { program, environment }: NativeRunner,
  more: NodeJS.ProcessEnv = {},
  args: readonly string[] = [],
) {
  const child = spawn(program, args, { env: { ...environment, ...more } });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve));
  const next = async (): Promise<Line> => {
    for (;;) {
      const read: IteratorResult<string, unknown> = await lines.next();
      if (read.done === true) throw new Error('the runner has ended');
      const line = parse(read.value);
      if (line !== undefined && line['type'] !== 'progress') return line;
    }
  };
  const ask = (request: object | string): Promise<Line> => {
    child.stdin.write(`${typeof request === 'string' ? request : JSON.stringify(request)}\n`);
    return next();
  };
  return { child, ended, next, ask };
}

/** A kernel prints too, and may leave a line unfinished. */
function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text.slice(Math.max(0, text.lastIndexOf('{"schema":')))) as Line;
  } catch {
    return undefined;
  }
}

const operand = (columns: number, batchStride: number) => ({
  dtype: 'f32',
  layout: 'row',
  ld: columns,
  batchStride,
});

/** Verifies C = A * B for 45 x 37 x 29 in f32 by one of the kernels, 32 threads a block. */
export const runRequest = (cubin: string, symbol: string, more: object = {}): object => ({
  id: 7,
  type: 'run',
  mode: 'verify',
  seed: 3,
  cache: 'cold',
  cubin,
  workspaceBytes: 0,
  problem: {
    m: 45,
    n: 37,
    k: 29,
    batch: 1,
    alpha: 1,
    beta: 0,
    accumulator: 'f32',
    a: operand(29, 0),
    b: operand(37, 0),
    c: operand(37, 0),
  },
  bound: {
    gamma: 2e-6,
    outputRoundoff: 0,
    smallestSum: 2 ** -126,
    smallestStored: 0,
    overflowSum: null,
    overflowStored: null,
    mayOverflow: false,
  },
  inputBits: { a: 24, b: 24, c: 24 },
  launches: [
    {
      symbol,
      grid: [2, 37, 1],
      block: [32, 1, 1],
      dynamicSharedBytes: 0,
      arguments: ['m', 'n', 'k', 'a', 'lda', 'b', 'ldb', 'c', 'ldc'],
    },
  ],
  baselines: [],
  tile: { m: 16, n: 8 },
  ...more,
});
