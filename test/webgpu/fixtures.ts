/** Kernels and problems that the tests of the WebGPU runner and of Dawn share. */
import type { Runnable } from '../../src/core/kernel/kernel';
import type { ResolvedProblem } from '../../src/core/spec/resolved';

const packed = (dtype: 'f32' | 'f16' | 's32', rows: number, columns: number) => ({
  dtype,
  layout: 'row' as const,
  ld: columns,
  batchStride: rows * columns,
});

export const problemOf = (
  m: number,
  n: number,
  k: number,
  changes: Partial<ResolvedProblem> & { dtype?: 'f32' | 'f16' | 's32' } = {},
): ResolvedProblem => {
  const { dtype = 'f32', ...rest } = changes;
  return {
    m,
    n,
    k,
    batch: 1,
    a: packed(dtype, m, k),
    b: packed(dtype, k, n),
    c: packed(dtype, m, n),
    accumulator: dtype,
    alpha: 1,
    beta: 0,
    ...rest,
  };
};

/** One result a thread; `body` ends with what is stored. */
const kernel = (type: 'f32' | 'i32', value: string, loop = 'k < sizes.k'): string => `
struct Sizes { m: u32, n: u32, k: u32, lda: u32, ldb: u32, ldc: u32, alpha: ${type}, beta: ${type} }
@group(0) @binding(0) var<storage, read> A: array<${type}>;
@group(0) @binding(1) var<storage, read> B: array<${type}>;
@group(0) @binding(2) var<storage, read_write> C: array<${type}>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(16, 16)
fn matmul(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y;
  let column = id.x;
  if (row >= sizes.m || column >= sizes.n) { return; }
  var sum = ${type}(0);
  for (var k = 0u; ${loop}; k++) {
    sum += A[row * sizes.lda + k] * B[k * sizes.ldb + column];
  }
  let index = row * sizes.ldc + column;
  C[index] = ${value};
}
`;

export const CORRECT = kernel('f32', 'sizes.alpha * sum');
export const CORRECT_INTEGER = kernel('i32', 'sizes.alpha * sum + sizes.beta * C[index]');
export const ACCUMULATING = kernel('f32', 'sizes.alpha * sum + sizes.beta * C[index]');
/** Leaves out the last product. */
export const WRONG = kernel('f32', 'sizes.alpha * sum', 'k + 1u < sizes.k');
/** Never ends, because C holds NaN, which no compiler can know. */
export const ENDLESS = kernel('f32', 'sizes.alpha * sum', 'sum != 12345.0 || k < 10u').replace(
  'sum += ',
  'C[0] = sum; sum = 0.5 * C[0] + 0.0 * ',
);
/**
 * Its tile in workgroup memory is read past its end, where a bounds check yields its last element,
 * 1, and nothing else.
 */
export const PAST_ITS_END = kernel('f32', 'sizes.alpha * sum * ones[id.x + sizes.m]')
  .replace(
    '@compute',
    'var<workgroup> ones: array<f32, 4>;\nvar<workgroup> after: array<f32, 1024>;\n@compute',
  )
  .replace(
    'let row = id.y;',
    'ones[3] = 1; after[id.x + 16 * id.y] = 2; ones[0] = after[id.x]; workgroupBarrier(); let row = id.y;',
  );
export const BROKEN = CORRECT.replace('let row = id.y;', 'let row = id.z + missing;');

export const runnableOf = (
  source: string,
  problem: ResolvedProblem,
  changes: Partial<Runnable> = {},
): Runnable => ({
  target: 'wgsl',
  entry: 'matmul',
  source,
  problem,
  grid: { x: Math.ceil(problem.n / 16), y: Math.ceil(problem.m / 16), z: 1 },
  block: { x: 16, y: 16, z: 1 },
  dynamicSharedBytes: 0,
  arguments: ['a', 'b', 'c', ['m', 'n', 'k', 'lda', 'ldb', 'ldc', 'alpha', 'beta']],
  specKey: 'fixture',
  ...changes,
});
