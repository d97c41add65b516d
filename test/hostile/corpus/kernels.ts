/** Kernels that hostile annotations and texts are put into. */

export interface AnnotationParts {
  readonly problem?: unknown;
  readonly grid?: unknown;
  readonly block?: unknown;
  readonly args?: unknown;
  readonly more?: Readonly<Record<string, unknown>>;
}

const PROBLEM = { m: 32, n: 32, k: 32 };

export const annotation = (parts: AnnotationParts = {}): string =>
  `// @gemm ${JSON.stringify({
    problem: parts.problem ?? PROBLEM,
    grid: parts.grid ?? ['ceil(n / 16)', 'ceil(m / 16)'],
    block: parts.block ?? [16, 16],
    args: parts.args ?? ['a', 'b', 'c', 'm', 'n', 'k'],
    ...parts.more,
  })}`;

/** A naive kernel in CUDA C++; `head` comes before it. */
export const cuda = (head: string, entry = 'hostile_kernel'): string => `${head}
__global__ void ${entry}(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
`;

/** The same in WGSL, of a fixed problem. */
export const wgsl = (head: string, entry = 'hostile_kernel'): string => `${head}
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(16, 16)
fn ${entry}(@builtin(global_invocation_id) id: vec3u) {
  if (id.y >= 32u || id.x >= 32u) { return; }
  var sum = 0.0;
  for (var i = 0u; i < 32u; i++) { sum += a[id.y * 32u + i] * b[i * 32u + id.x]; }
  c[id.y * 32u + id.x] = sum;
}
`;

/** Arguments of the kernel in WGSL. */
export const WGSL_ARGS = ['a', 'b', 'c'];

export const SPEC = { version: 1, problem: { m: 64, n: 64, k: 64 } };
export const specText = (spec: unknown): string => `${JSON.stringify(spec, undefined, 2)}\n`;
