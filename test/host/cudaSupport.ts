/**
 * A machine without a GPU that the cuda backend takes for one with: nvcc is g++ and the CPU shim.
 */
import type { Runnable } from '../../src/core/kernel/kernel';
import { precompiledHeaders, SHIM_FLAGS } from './shimCompiler';
import { fakeProgram, present } from './support';

/** Undefined where there is no C++ compiler. */
export function shimMachine(
  folder: string,
): { readonly nvcc: string; readonly environment: NodeJS.ProcessEnv } | undefined {
  const compiler = process.platform === 'linux' ? present('g++') : undefined;
  if (compiler === undefined) return undefined;
  const nvcc = fakeProgram(
    folder,
    'nvcc',
    `if (args[0] === '--version') { console.log('Cuda compilation tools, release 13.0, V13.0.88'); process.exit(0); }
for (const name of ['kernel.cu', 'main.cu']) {
  const text = fs.readFileSync(name, 'utf8');
  // The name and, between the brackets, everything up to the last >>> of its line.
  fs.writeFileSync(name, text.replace(/(\\w+(?:<\\w+>)?)<<<(.*)>>>\\(/g, 'shim::launch($1, $2)('));
}
const out = args[args.indexOf('-o') + 1];
const flags = ${JSON.stringify([...SHIM_FLAGS, ...precompiledHeaders(compiler)])};
const done = require('node:child_process').spawnSync(${JSON.stringify(compiler)}, [...flags, '-x', 'c++', 'main.cu', '-o', out, '-ldl', '-lpthread'], { stdio: 'inherit' });
console.error("ptxas info    : Compiling entry function 'gemm' for 'sm_90'\\nptxas info    : Used 40 registers, 2048 bytes smem");
process.exit(done.status ?? 1);`,
  );
  fakeProgram(folder, 'nvidia-smi', `console.log('Shim GPU, 1.2.3, 9.0, 256');`);
  return { nvcc, environment: { PATH: folder } };
}

interface Shape {
  readonly dtype?: 'f32' | 's32';
  readonly layout?: 'row' | 'col';
  readonly alpha?: number;
  readonly beta?: number;
}

/** A kernel written by hand for 45 x 37 x 29, whose macros and main are meant to get in the way. */
export function handWritten(shape: Shape, body = ''): Runnable {
  const { dtype = 'f32', layout = 'row', alpha = 1, beta = 0 } = shape;
  const T = dtype === 's32' ? 'int' : 'float';
  const [m, n, k] = [45, 37, 29];
  const operand = (rows: number, columns: number, gap: number) => {
    const ld = (layout === 'row' ? columns : rows) + gap;
    return { dtype, layout, ld, batchStride: 0 };
  };
  const at = (name: string, row: string, column: string): string =>
    layout === 'row'
      ? `${name}[${row} * ld${name} + ${column}]`
      : `${name}[${column} * ld${name} + ${row}]`;
  return {
    target: 'cuda',
    entry: 'gemm',
    source: `#define M 5
#define N 6
#define K 7
#define A(i, j) a
#include <stdio.h>
#include <stdlib.h>
__global__ void gemm(const ${T} *a, const ${T} *b, ${T} *c, int m, int n, int k, int lda, int ldb,
                     int ldc, ${T} alpha, ${T} beta) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  ${T} sum = 0;
  for (int l = 0; l < k; ++l) sum += ${at('a', 'i', 'l')} * ${at('b', 'l', 'j')};
  sum *= alpha;
  if (beta != 0) sum += beta * ${at('c', 'i', 'j')};
  ${body}
  ${at('c', 'i', 'j')} = sum;
}
int main() { return 0; }
`,
    problem: {
      m,
      n,
      k,
      batch: 1,
      accumulator: dtype,
      alpha,
      beta,
      a: operand(m, k, 3),
      b: operand(k, n, 0),
      c: operand(m, n, 5),
    },
    grid: { x: 5, y: 6, z: 1 },
    block: { x: 8, y: 8, z: 1 },
    dynamicSharedBytes: 0,
    arguments: ['a', 'b', 'c', 'm', 'n', 'k', 'lda', 'ldb', 'ldc', 'alpha', 'beta'],
    specKey: 'hand-written',
  };
}
