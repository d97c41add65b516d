/** test.cu of the `cpp` target: compares products with a reference in double precision. */
import { cudaType } from '../../kernel/print/cudaTypes';
import { isInteger } from '../../types/dtype';
import { needsWorkspace } from '../cuda/header';
import { provenance } from '../describe';
import { floatLiteral } from '../numbers';
import {
  elementFactors,
  extrasOf,
  gateOperand,
  nameOf,
  isMatrix,
  matrixOrder,
  type ExtraOperand,
} from '../epilogue';
import { activationsWith, referenceLines } from '../reference';
import { LEADING, memoryOrder, STRIDE, type CallerRole } from '../roles';
import { testSizes } from '../sizes';
import type { ExportSubject, GemmType } from '../subject';
import { gammaAt, inputRange, inputRoundoff, storeErrors } from '../tolerance';
import { initializer, scalarLiteral } from './calls';

export function testText(subject: ExportSubject): string {
  const { name, type, kernels } = subject;
  const all = kernels.map(({ kernel }) => kernel);
  const sizes = testSizes(all, type);
  const isWorking = needsWorkspace(subject);
  const errors = storeErrors(kernels[0].kernel);
  const [A, B, C] = [type.a, type.b, type.c].map(({ dtype }) => cudaType(dtype));
  const outer = (operand: 'a' | 'b' | 'c'): string => `size.${memoryOrder(type, operand)[0]}`;
  const value = (role: CallerRole): string => {
    const operand = (['a', 'b', 'c'] as const).find(each => STRIDE[each] === role);
    if (operand !== undefined) return `${operand}.stride`;
    if (role === 'a' || role === 'b' || role === 'c') return `${role}.data`;
    if (role === 'alpha' || role === 'beta') return scalarLiteral(type, role);
    const name = nameOf(type, role);
    return name === role ? `size.${role}` : `${name}.data`;
  };
  const extras = extrasOf(type);
  const gate = gateOperand(type);
  const steps = referenceLines(type, kernels[0].kernel, {
    element: operand => `toDouble(${operand.name}[${extraPlace(operand, type)}])`,
    magnitude: each => `fabs(${each})`,
    atLeastOne: each => `fmax(fabs(${each}), 1.0)`,
    activations: activationsWith({ max: 'fmax', exp: 'exp', erf: 'erf' }),
    semicolon: ';',
    secondBound: 'secondBound',
  });
  const bound = {
    sum: `size.gamma * (${floatLiteral(Math.abs(type.alpha))} * magnitude${type.readsC ? ` + ${floatLiteral(Math.abs(type.beta))} * fabs(toDouble(before[index]))` : ''})`,
    stored: `${floatLiteral(errors.relative)} * fabs(wanted) + ${floatLiteral(errors.absolute)}`,
  };
  return `${provenance(subject, '//')}
// Compares the product with a reference in double precision. The bound covers rounding only.
// Exit code: 0 if all products are correct, 1 otherwise, 77 without a GPU.
#include <cstdint>
#include <cstdio>

#include "${name}.h"

#define CHECK(call)                                                                         \\
  if (const cudaError_t error = (call)) {                                                   \\
    std::fprintf(stderr, "%s: %s\\n", #call, cudaGetErrorString(error));                     \\
    return 1;                                                                               \\
  }

using A = ${A};
using B = ${B};
using C = ${C};

struct Size {
  int m, n, k, batch, lda, ldb, ldc;
  double gamma;  // error of the sum relative to the sum of absolute products
};

constexpr Size sizes[] = {
${sizes
  .map(
    ({ m, n, k, batch, lda, ldb, ldc }) =>
      `    {${[m, n, k, batch, lda, ldb, ldc, floatLiteral(gammaAt(all, k) + 2.1 * inputRoundoff(type))].join(', ')}},`,
  )
  .join('\n')}
};

template <class T>
__host__ __device__ double toDouble(T value) {
  return static_cast<float>(value);
}
template <>
__host__ __device__ double toDouble(double value) {
  return value;
}
template <>
__host__ __device__ double toDouble(int value) {
  return value;
}

// A matrix with all batch entries, in the order of its memory.
template <class T>
struct Matrix {
  T* data = nullptr;
  long long stride = 0, elements = 0;

  cudaError_t allocate(int outer, int ld, int batch) {
    stride = 1ll * outer * ld;
    elements = stride * batch;
    return cudaMalloc(&data, elements * sizeof(T));
  }
};

// Fills a matrix with pseudo-random values in [-range, range]; integers if the type is one.
template <class T>
__global__ void fill(T* matrix, long long elements, uint32_t seed, float range, bool isInteger) {
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < elements; i += 1ll * gridDim.x * blockDim.x) {
    uint32_t bits = static_cast<uint32_t>(i) * 2654435761u + seed;
    bits ^= bits >> 16, bits *= 0x7feb352du, bits ^= bits >> 15, bits *= 0x846ca68bu, bits ^= bits >> 16;
    const float value = (bits / 2147483648.0f - 1.0f) * range;
    matrix[i] = static_cast<T>(isInteger ? rintf(value) : value);
  }
}

__global__ void countErrors(Size size, const A* a, const B* b, const C* c, const C* before, ${extras.map(({ name: operand, dtype }) => `const ${cudaType(dtype)}* ${operand}, `).join('')}unsigned long long* errors) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= size.m || column >= size.n) return;
  a += 1ll * blockIdx.z * ${outer('a')} * size.lda;
  b += 1ll * blockIdx.z * ${outer('b')} * size.ldb;
  const long long index = 1ll * blockIdx.z * ${outer('c')} * size.ldc + ${place(type, 'c', 'row', 'column')};
  double sum = 0, magnitude = 0${gate === undefined ? '' : ', sum2 = 0, magnitude2 = 0'};
  for (int k = 0; k < size.k; ++k) {
    const double product = toDouble(a[${place(type, 'a', 'row', 'k')}]) * toDouble(b[${place(type, 'b', 'k', 'column')}]);
    sum += product;
    magnitude += fabs(product);
${
  gate === undefined
    ? ''
    : `    const double product2 = toDouble(a[${place(type, 'a', 'row', 'k')}]) * toDouble(${gate.name}[${extraPlace(gate, type)}]);
    sum2 += product2;
    magnitude2 += fabs(product2);
`
}  }
${
  gate === undefined
    ? ''
    : `  const double second = ${floatLiteral(type.alpha)} * sum2, secondBound = size.gamma * ${floatLiteral(Math.abs(type.alpha))} * magnitude2;
`
}  ${steps.length === 0 ? 'const ' : ''}double wanted = ${floatLiteral(type.alpha)} * sum${type.readsC ? ` + ${floatLiteral(type.beta)} * toDouble(before[index])` : ''};
${
  steps.length === 0
    ? `  const double bound = ${bound.sum} + ${bound.stored};`
    : [
        `  double bound = ${bound.sum};`,
        ...steps.map(line => `  ${line}`),
        `  bound = bound + ${bound.stored};`,
      ].join('\n')
}
  // The comparison is also false for NaN.
  if (!(fabs(toDouble(c[index]) - wanted) <= bound)) atomicAdd(errors, 1ull);
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "Skipped: this machine has no CUDA GPU.\\n");
    return 77;
  }
  bool isCorrect = true;
  for (const Size& size : sizes) {
    Matrix<A> a;
    Matrix<B> b;
    Matrix<C> c, before;
    CHECK(a.allocate(${outer('a')}, size.lda, size.batch));
    CHECK(b.allocate(${outer('b')}, size.ldb, size.batch));
    CHECK(c.allocate(${outer('c')}, size.ldc, size.batch));
    CHECK(before.allocate(${outer('c')}, size.ldc, size.batch));
    fill<<<1024, 256>>>(a.data, a.elements, 1, ${fillRange(type, 'a')});
    fill<<<1024, 256>>>(b.data, b.elements, 2, ${fillRange(type, 'b')});
${
  type.readsC
    ? `    fill<<<1024, 256>>>(before.data, before.elements, 3, ${fillRange(type, 'c')});
    CHECK(cudaMemcpy(c.data, before.data, c.elements * sizeof(C), cudaMemcpyDeviceToDevice));`
    : '    // Elements that the kernel does not write stay NaN.\n    CHECK(cudaMemset(c.data, 0xff, c.elements * sizeof(C)));'
}
${extras
  .map(
    (operand, i) => `    Matrix<${cudaType(operand.dtype)}> ${operand.name};
    CHECK(${operand.name}.allocate(1, ${elementFactors(operand, type).slice(-1).map(sizeText)[0] ?? 1}, ${elementFactors(operand, type).slice(0, -1).map(sizeText).join(' * ') || '1'}));
    fill<<<1024, 256>>>(${operand.name}.data, ${operand.name}.elements, ${i + 4}, ${floatLiteral(inputRange(operand.dtype))}f, false);
`,
  )
  .join('')}    const ${name}::Arguments arguments = ${initializer(type, value)};
${
  isWorking
    ? `    void* workspace = nullptr;
    const size_t bytes = ${name}::workspaceBytes(arguments);
    if (bytes > 0) CHECK(cudaMalloc(&workspace, bytes));
    if (bytes > 0) CHECK(cudaMemset(workspace, 0xff, bytes));
`
    : ''
}    CHECK(${name}::gemm(arguments, ${isWorking ? 'workspace, bytes, ' : ''}/*stream*/ nullptr));
    unsigned long long* errors = nullptr;
    CHECK(cudaMallocManaged(&errors, sizeof(*errors)));
    *errors = 0;
    const dim3 grid((size.n + 31) / 32, (size.m + 7) / 8, size.batch);
    countErrors<<<grid, dim3(32, 8)>>>(size, a.data, b.data, c.data, before.data, ${extras.map(operand => `${operand.name}.data, `).join('')}errors);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d x %d x %d, batch %d, %s: %llu incorrect elements\\n", size.m, size.n, size.k, size.batch, ${name}::kernelFor(arguments), *errors);
    isCorrect = isCorrect && *errors == 0;
    CHECK(cudaFree(errors));
${isWorking ? '    CHECK(cudaFree(workspace));\n' : ''}    CHECK(cudaFree(a.data));
    CHECK(cudaFree(b.data));
    CHECK(cudaFree(c.data));
    CHECK(cudaFree(before.data));
${extras.map(operand => `    CHECK(cudaFree(${operand.name}.data));\n`).join('')}  }
  return isCorrect ? 0 : 1;
}
`;
}

/** Returns the element offset of a matrix: row-major or column-major. */
function place(type: GemmType, operand: 'a' | 'b' | 'c', row: string, column: string): string {
  const [across, along] = type[operand].layout === 'row' ? [row, column] : [column, row];
  return `1ll * ${across} * size.${LEADING[operand]} + ${along}`;
}

/** Returns the element offset of an epilogue operand. */
function extraPlace(operand: ExtraOperand, { isBatched }: GemmType): string {
  const index = { m: 'row', n: 'column', k: 'k' } as const;
  if (!isMatrix(operand)) return operand.sides.map(side => index[side])[0] ?? '0';
  const [across, along] = matrixOrder(operand);
  const ld = operand.ld ?? `size.${along}`;
  const line = isBatched
    ? `(1ll * blockIdx.z * size.${across} + ${index[across]})`
    : `1ll * ${index[across]}`;
  return `${line} * ${ld} + ${index[along]}`;
}

const sizeText = (factor: string | number): string =>
  typeof factor === 'number' ? String(factor) : `size.${factor}`;

const fillRange = (type: GemmType, operand: 'a' | 'b' | 'c'): string => {
  const { dtype } = type[operand];
  return `${floatLiteral(inputRange(dtype))}f, ${isInteger(dtype)}`;
};
