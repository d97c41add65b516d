/** example.cu of the `cpp` target: allocates the matrices and computes one product. */
import { cudaType } from '../../kernel/print/cudaTypes';
import { needsWorkspace } from '../cuda/header';
import { provenance } from '../describe';
import { elementFactors, extrasOf, nameOf } from '../epilogue';
import { LEADING, memoryOrder, STRIDE, type CallerRole } from '../roles';
import { ownSize } from '../sizes';
import type { ExportSubject } from '../subject';
import { elementsText, initializer, scalarLiteral } from './calls';

export function exampleText(subject: ExportSubject): string {
  const { name, type, kernels } = subject;
  const size = ownSize(kernels[0].kernel);
  const isWorking = needsWorkspace(subject);
  const elements = (operand: 'a' | 'b' | 'c'): number =>
    elementsText(size, { outer: memoryOrder(type, operand)[0], ld: LEADING[operand] });
  const value = (role: CallerRole): string => {
    const operand = (['a', 'b', 'c'] as const).find(each => STRIDE[each] === role);
    if (operand !== undefined) return String(elements(operand) / size.batch);
    if (!(role in size) && role !== 'alpha' && role !== 'beta') return nameOf(type, role);
    if (role === 'alpha' || role === 'beta') return scalarLiteral(type, role);
    return String(size[role as keyof typeof size]);
  };
  const buffers = [
    ...(['a', 'b', 'c'] as const).map(operand => ({
      name: operand,
      dtype: type[operand].dtype,
      count: elements(operand),
    })),
    ...extrasOf(type).map(operand => ({
      name: operand.name,
      dtype: operand.dtype,
      count: elementFactors(operand, type)
        .map(factor => (typeof factor === 'number' ? factor : size[factor]))
        .reduce((product, factor) => product * factor, 1),
    })),
  ];
  return `${provenance(subject, '//')}
// Computes one product and prints the name of the kernel and its time.
#include <cstdio>

#include "${name}.h"

#define CHECK(call)                                                                         \\
  if (const cudaError_t error = (call)) {                                                   \\
    std::fprintf(stderr, "%s: %s\\n", #call, cudaGetErrorString(error));                     \\
    return 1;                                                                               \\
  }

int main() {
${buffers
  .map(
    ({ name: buffer, dtype, count }) => `  ${cudaType(dtype)}* ${buffer};
  CHECK(cudaMalloc(&${buffer}, ${count} * sizeof(*${buffer})));
  CHECK(cudaMemset(${buffer}, 0, ${count} * sizeof(*${buffer})));`,
  )
  .join('\n')}
  const ${name}::Arguments arguments = ${initializer(type, value)};
${
  isWorking
    ? `
  void* workspace = nullptr;
  const size_t bytes = ${name}::workspaceBytes(arguments);
  if (bytes > 0) CHECK(cudaMalloc(&workspace, bytes));
`
    : ''
}
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float milliseconds = 0;
  // The first launch loads the kernel.
  for (int launch = 0; launch < 2; ++launch) {
    CHECK(cudaEventRecord(begin));
    CHECK(${name}::gemm(arguments, ${isWorking ? 'workspace, bytes, ' : ''}/*stream*/ nullptr));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  }
  std::printf("%s: %.4f ms\\n", ${name}::kernelFor(arguments), milliseconds);
  return 0;
}
`;
}
